"""The configuration of a run: one YAML file, an ordered list of stages picked by `kind:`, and the engine's settings."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Union

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializeAsAny,
    TypeAdapter,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from headrace.schemas.index import DEFAULT_INDEX, IndexOptions, Store
from headrace.schemas.source import Source
from headrace.schemas.training import LoaderConfig, TrainerConfig
from headrace.stages.base import Stage

OUR_OWN = "written by Headrace"  # the context of a configuration that no person wrote
FIRST_PASS_STAGE = "signatures"
Share = Annotated[float, Field(ge=0, le=1)]


def _band(value: object) -> object:
    """Refuse what is no pair of numbers; YAML reads `off` and `no` as false, which would be 0."""
    if value is None or (isinstance(value, (list, tuple)) and [type(v) in (int, float) for v in value] == [True, True]):
        return value
    raise ValueError("write [lowest, highest], such as [0, 0.3]; or null: not watched")


def stage_union() -> Any:
    """Give the union of every registered kind: open, so that plug-ins take part and pydantic words the errors."""
    kinds = tuple(Stage.registry[kind] for kind in sorted(Stage.registry))
    return Annotated[Union[kinds], Field(discriminator="kind")]  # noqa: UP007  # a runtime tuple of types


def _resolve(value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Stage:
    if isinstance(value, Stage):
        return value
    if info.context == OUR_OWN and isinstance(value, dict) and value.get("kind") == FIRST_PASS_STAGE:
        from headrace.stages.deduplication.first_pass import Signatures  # what no configuration names

        return Signatures.model_validate(value)
    stage: Stage = TypeAdapter(stage_union()).validate_python(value)
    return stage


AnyStage = SerializeAsAny[Annotated[Stage, WrapValidator(_resolve)]]


class IndexConfig(BaseModel):
    """Where the index of `dedup` and its like lives. No verdict depends on it: it may change whenever a run goes on."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    partitions: int = Field(
        default=DEFAULT_INDEX.partitions,
        ge=1,
        le=256,
        description="Parts into which the index on disk is cut; with executor ray, several are actors on all nodes, so "
        "many for each stage that has an index; dedup_lines has one for each of its `occurrences`.",
    )
    memory_bytes: int = Field(
        default=DEFAULT_INDEX.memory_bytes,
        ge=0,
        description="Most memory of the tables of one stage's index, in bytes; at the commit after that it goes on "
        "from disk. What finds places in files comes on top: 2 bytes a document, with `bloom` 21.",
    )
    bloom: bool = Field(
        default=DEFAULT_INDEX.bloom,
        description="Ask a Bloom filter in memory before the index on disk: fewer reads for some memory.",
    )
    store: Store = Field(
        default=DEFAULT_INDEX.store,
        description="How the index on disk is looked up: runs, sorted and memory-mapped; or lmdb, for small ones.",
    )

    @property
    def options(self) -> IndexOptions:
        """The same for stages."""
        return IndexOptions(self.partitions, self.memory_bytes, self.bloom, self.store)


class EngineConfig(BaseModel):
    """How the work is done. Only `lanes` and `unit_bytes`, which are part of the plan, change the output."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    executor: Literal["ray", "inline"] = Field(
        default="ray", description="ray: actors on all cores; inline: one process."
    )
    workers: int | None = Field(default=None, ge=1, description="Stateless workers; by default one per core.")
    window: int = Field(
        default=8, ge=1, description="Most units in flight, from admission until the writer has taken them."
    )
    lanes: int = Field(
        default=8, ge=1, description="Read lanes the splits are dealt onto; part of the order of the output."
    )
    unit_bytes: int = Field(
        4_000_000, ge=1_000, description="Text read per unit, in bytes; part of the output's order."
    )
    deadline_s: float = Field(
        300.0, gt=0, description="Longest time one unit, or one document alone, may take in a worker."
    )
    object_store_bytes: int | None = Field(
        None, ge=80_000_000, description="Ray's object store, in bytes; by default Ray chooses."
    )
    drain_s: float = Field(
        default=2.0, gt=0, description="After SIGTERM, time to finish what is in flight before stopping."
    )
    dashboard: bool = Field(default=False, description="Start Ray's dashboard with an embedded run.")
    index: IndexConfig = IndexConfig()


class PaceConfig(BaseModel):
    """How far the pipeline may run ahead of the trainer."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    ahead: int = Field(
        default=8, ge=1, description="Most shards that are written but not yet trained on by every rank."
    )
    beat_timeout_s: float = Field(
        default=60.0, gt=0, description="An optional trainer that is silent for so long is unbound."
    )
    restarts: int = Field(default=3, ge=0, description="How often a trainer that died is started again.")


class PipelineConfig(BaseModel):
    """Everything a run is made of. `headrace schema` prints it as JSON Schema."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    run: str = Field(description="Folder of the run; relative paths start at the configuration file's folder.")
    seed: int = Field(default=0, description="The one source of randomness.")
    plugins: tuple[str, ...] = Field(
        default=(), description="Python files with stages of your own; shipped to every worker."
    )
    sources: tuple[Source, ...] = Field(min_length=1, description="Where the text comes from, in order.")
    stages: tuple[AnyStage, ...] = Field(min_length=1, description="What happens to it, in order.")
    limit: int | None = Field(
        default=None, ge=1, description="Stop after the unit in which this many documents were read."
    )
    drop_bands: dict[str, Annotated[tuple[Share, Share] | None, BeforeValidator(_band)]] = Field(
        default={},
        description="Rule (`max_digit_share`, `clean.max_digit_share`) or stage (`clean`): [lowest, highest] share "
        "that it is expected to drop of the documents that reach it; null: not watched. Others have built-in bands.",
    )
    on_drop_band: Literal["warn", "stop", "ignore"] = Field(
        default="warn",
        description="Where a rule leaves its band: warn, or stop the run with exit code 1; ignore: no watch.",
    )
    drop_band_documents: int = Field(default=1000, ge=1, description="A stage is judged from this many documents on.")
    engine: EngineConfig = EngineConfig()
    pace: PaceConfig = PaceConfig()
    loader: LoaderConfig | None = Field(
        default=None, description="How trainers read the shards; needed with a trainer."
    )
    trainer: TrainerConfig | None = Field(
        default=None, description="The bundled trainer, started as a child of the run."
    )
