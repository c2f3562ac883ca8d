"""The free memory of the GPU that models take where no setting names another one."""

from __future__ import annotations

import os
import subprocess

_ANSWER_WITHIN_S = 20


def free_gpu_memory_mb() -> int | None:
    """Return the free memory of the first GPU that this process may use, in MiB; None where there is none.

    It is asked of `nvidia-smi`, so that a supervisor of workers need not import torch and holds nothing on the GPU.
    """
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "0").partition(",")[0].strip()
    if not visible or visible == "-1":
        return None
    command = ["nvidia-smi", f"--id={visible}", "--query-gpu=memory.free", "--format=csv,noheader,nounits"]
    try:
        answer = subprocess.run(  # noqa: S603 - the driver's own program
            command, capture_output=True, text=True, timeout=_ANSWER_WITHIN_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    first = answer.stdout.strip().partition("\n")[0]
    return int(first) if first.isdigit() else None
