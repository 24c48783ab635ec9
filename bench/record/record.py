"""The documents of a leaf that say what was asked for, how it was started and how it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from bench.workload.configuration import Configuration
from engine import __version__
from engine.launch.accepted import Accepted
from engine.launch.request import declared
from engine.runtime.roles import READS, WRITES, flag_of

STDOUT, STDERR = "{family}_run.stdout.log", "{family}_run.stderr.log"
DLIO = "dlio_config"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStart:
    """A run that has been started."""

    accepted: Accepted
    configuration: Configuration
    stamp: str
    leaf: Path  # as it is called when the run has ended well
    command: str
    launcher: str
    environment: Mapping[str, str]  # variables that a reader of the figures should know of
    at: datetime
    hand_over: Mapping[str, Any] | None = None  # of a read invocation: what lay between it and the writing


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnd:
    """How a run ended. `failure` is None for a run that did all it was asked."""

    at: datetime
    code: int
    failure: str | None = None
    summary: Mapping[str, Any] | None = None


def metadata_name(family: str, stamp: str) -> str:
    """The name of a leaf's metadata."""
    return f"{family}_{stamp}_metadata.json"


def metadata(started: RunStart, ended: RunEnd | None = None) -> dict[str, Any]:
    """The metadata of a run, before it has ended or after."""
    accepted, configuration = started.accepted, started.configuration
    request = accepted.request
    arguments = _arguments(accepted, configuration)
    summary = ended.summary if ended is not None else None
    finished = ended is not None and not ended.code
    logs = {
        "stdout": str(started.leaf / STDOUT.format(family=request.family)),
        "stderr": str(started.leaf / STDERR.format(family=request.family)),
    }
    return {
        "benchmark_type": request.family,
        "model": configuration.model_name,
        "command": request.command,
        "run_datetime": started.stamp,
        "num_processes": configuration.ranks,
        "accelerator": arguments.get("accelerator_type"),
        "result_dir": str(started.leaf),
        "parameters": configuration.as_tree(),
        "override_parameters": dict(configuration.overrides),
        "system_info": None if summary is None else _system(summary),
        "runtime": None if ended is None else (ended.at - started.at).total_seconds(),
        "invocation_start_time": started.at.isoformat(),
        "invocation_end_time": None if ended is None else ended.at.isoformat(),
        "verification": accepted.gated.verdict.subject.earned if finished else None,
        "executed_command": started.command,
        "command_output_files": [{"command": started.command, **logs}],
        "exit_status": None if ended is None else ended.code,
        "failure": None if ended is None else ended.failure,
        "hand_over": None if started.hand_over is None else dict(started.hand_over),
        "cold_reads": None if summary is None else _cold(summary),
        "launcher": started.launcher,
        "environment": dict(started.environment),
        "tool": {"name": "clausegate", "version": __version__, "rules": accepted.ruleset.digest},
        "args": arguments,
    }


def _arguments(accepted: Accepted, configuration: Configuration) -> dict[str, Any]:
    """Every option under its own name, as typed or by its default."""
    request = accepted.request
    found: dict[str, Any] = {
        "mode": request.division,
        "benchmark": request.family,
        "command": request.command,
        "data_access_protocol": request.access,
    }
    for flag, option in declared(accepted.ruleset).items():
        texts = request.given(option)
        typed: object = list(texts) if option.several else (texts[-1] if texts else None)
        found[_name(flag)] = bool(texts) if option.switch else typed
    for flag, value in accepted.options.items():
        found[_name(flag)] = list(value) if isinstance(value, tuple) else value
    rules = accepted.ruleset
    counts = {
        _name(flag_of(rules, WRITES)): configuration.writes,
        _name(flag_of(rules, READS)): configuration.reads,
    }
    return {**found, **counts, "model": configuration.model_name, "num_processes": configuration.ranks}


def _name(flag: str) -> str:
    return flag.lstrip("-").replace("-", "_")


def _cold(summary: Mapping[str, Any]) -> dict[str, Any] | None:
    """What is known of where reads came from; None of a run that read nothing."""
    workload = summary["workload"]
    fields = ("checkpoint_filesystem", "cached_before_read", "read_on_another_host")
    return {name: workload[name] for name in fields} if "read_on_another_host" in workload else None


def _system(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The client hosts as the ranks saw them."""
    memory = [round(gib * 2**30) for gib in summary["host_memory_GB"]]
    names, cpus = summary["workload"]["hosts"], summary["host_cpu_count"]
    hosts = [
        {"hostname": name, "memory": {"total": size}, "cpu": {"num_cores": count}}
        for name, size, count in zip(names, memory, cpus, strict=True)
    ]
    return {
        "total_memory_bytes": sum(memory),
        "num_hosts": len(hosts),
        "collection_method": "mpi",
        "hosts": hosts,
    }


def configuration_files(started: RunStart) -> dict[str, str]:
    """The documents of the leaf's `dlio_config`: name -> content."""
    configuration = started.configuration
    task = [f"workload={configuration.template}", *_overrides(configuration.overrides)]
    run = [f"++hydra.run.dir={started.leaf}", f"++hydra.output_subdir={DLIO}"]
    hydra = {
        "run": {"dir": str(started.leaf)},
        "output_subdir": DLIO,
        "overrides": {"hydra": run, "task": task},
        "job": {"name": started.accepted.request.family, "config_name": configuration.template},
    }
    return {
        f"{DLIO}/config.yaml": _yaml({"workload": configuration.as_tree()}),
        f"{DLIO}/hydra.yaml": _yaml({"hydra": hydra}),
        f"{DLIO}/overrides.yaml": _yaml(task),
    }


def _overrides(overrides: Mapping[str, Any]) -> Sequence[str]:
    return [f"++workload.{key}={value}" for key, value in overrides.items()]


def _yaml(content: object) -> str:
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=10_000)
