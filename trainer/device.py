"""Where and in which precision the model runs."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch

from headrace.schemas.errors import ConfigError
from headrace.schemas.training import TrainerConfig

# Dense bfloat16 peaks of the makers' data sheets, in FLOP/s; the first name that occurs in the device's name counts.
PEAK_FLOPS = {
    "H100 PCIe": 756e12,
    "H100": 989e12,
    "H200": 989e12,
    "B200": 2250e12,
    "A100": 312e12,
    "L40S": 362e12,
    "L4": 121e12,
}


@dataclass(frozen=True, slots=True)
class Device:
    """A torch device with the type its matrix products are computed in."""

    device: torch.device
    dtype: torch.dtype

    @property
    def peak_flops(self) -> float | None:
        """Give the device's peak, or None where it is not known."""
        if self.device.type != "cuda" or self.dtype != torch.bfloat16:
            return None
        name = torch.cuda.get_device_name(self.device)
        return next((peak for part, peak in PEAK_FLOPS.items() if part in name), None)

    def autocast(self) -> AbstractContextManager[object]:
        """Compute matrix products in bfloat16 within; weights, optimizer and loss stay float32."""
        if self.dtype == torch.float32:
            return nullcontext()
        return torch.autocast(self.device.type, self.dtype)


def choose_device(config: TrainerConfig) -> Device:
    """Give the configured device and set torch up for repeatable results on it."""
    kind = config.device
    if kind == "auto":
        kind = "cuda" if torch.cuda.is_available() else "cpu"
    if kind == "cuda" and not torch.cuda.is_available():
        remedy = "set it to auto or cpu, or install a torch build for this GPU"
        raise ConfigError("there is no GPU that torch can use", where="trainer.device", remedy=remedy)
    if config.threads:
        torch.set_num_threads(config.threads)
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # without it cuBLAS may add in another order each time
    torch.use_deterministic_algorithms(True, warn_only=True)
    bf16 = config.dtype == "bfloat16" or (config.dtype == "auto" and kind == "cuda" and torch.cuda.is_bf16_supported())
    return Device(torch.device(kind), torch.bfloat16 if bf16 else torch.float32)
