from __future__ import annotations

import pytest
import torch

from headrace.schemas.errors import ConfigError
from headrace.schemas.training import TrainerConfig
from headrace.trainer.device import Device, choose_device


def config(**changes: object) -> TrainerConfig:
    return TrainerConfig.model_validate({"steps": 1, "threads": 1, **changes})


def test_auto_on_a_machine_without_gpu_is_float32_on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bfloat16 is chosen only where the device is made for it."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    device = choose_device(config())
    assert (device.device.type, device.dtype, device.peak_flops) == ("cpu", torch.float32, None)
    assert choose_device(config(dtype="bfloat16")).dtype == torch.bfloat16


def test_a_missing_gpu_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking for a GPU where there is none names the option."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ConfigError, match=r"trainer\.device: there is no GPU"):
        choose_device(config(device="cuda"))


@pytest.mark.parametrize(
    ("name", "peak"), [("NVIDIA H100 PCIe", 756e12), ("NVIDIA H100 80GB HBM3", 989e12), ("?", None)]
)
def test_the_peak_is_looked_up_by_name(monkeypatch: pytest.MonkeyPatch, name: str, peak: float | None) -> None:
    """The PCIe card of a name is not taken for the faster one, and an unknown device has no MFU."""
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: name)
    assert Device(torch.device("cuda"), torch.bfloat16).peak_flops == peak
