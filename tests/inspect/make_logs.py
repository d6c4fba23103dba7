"""Writes logs with Inspect itself, by its model that says what it is told: tools.eval, tools.json and failed.eval.

    python tests/inspect/make_logs.py FOLDER

The files of tests/fixtures/imported/inspect/ were written so, with inspect_ai 0.3.285.
"""

import glob
import os
import sys
import tempfile

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import (
    ChatMessageUser,
    ContentImage,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import Score, accuracy, includes, scorer
from inspect_ai.solver import generate, solver, system_message, use_tools
from inspect_ai.tool import tool
from inspect_ai.util import store

MODEL = "mockllm/model"
PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJ"
    "RU5ErkJggg=="
)


@tool
def add():
    async def execute(x: int, y: int):
        """Adds two numbers.

        Args:
            x: The one.
            y: The other.
        """
        return x + y

    return execute


@scorer(metrics=[accuracy()])
def brief():
    async def score(state, target):
        is_brief = len(state.output.completion) < 40
        return Score(value="C" if is_brief else "I", explanation="counted its letters")

    return score


@scorer(metrics=[accuracy()])
def unsure():
    async def score(state, target):
        return Score.unscored(explanation="nobody can say")

    return score


@solver
def keep_aside():
    async def solve(state, generate):
        store().set("notes", ["kept aside"])
        return state

    return solve


@solver
def fail_at_two():
    async def solve(state, generate):
        if state.sample_id == 2:
            raise ValueError("the second fails on purpose")
        return await generate(state)

    return solve


def said(content, read, wrote, cost=None):
    """A reply with what it used: Inspect counts no tokens then."""
    output = ModelOutput.from_content(MODEL, content)
    output.usage = ModelUsage(
        input_tokens=read, output_tokens=wrote, total_tokens=read + wrote, total_cost=cost
    )
    return output


def called(read, wrote):
    output = ModelOutput.for_tool_call(MODEL, "add", {"x": 1, "y": 2}, content="I add them.")
    output.usage = ModelUsage(input_tokens=read, output_tokens=wrote, total_tokens=read + wrote)
    return output


def samples():
    # Texts of more than a hundred characters are kept apart from events.
    question = ContentText(text="Which is the largest town of France? " + "Think of the map. " * 8)
    return [
        Sample(id="sum", input="What is 1 + 2?", target="3", metadata={"category": "sums", "level": 1}),
        Sample(id=2, input=[ChatMessageUser(content=[question, ContentImage(image=PIXEL)])], target="Paris"),
    ]


def write(task, outputs, path, **options):
    with tempfile.TemporaryDirectory() as folder:
        model = get_model(MODEL, custom_outputs=outputs)
        eval(task, model=model, log_dir=folder, display="none", max_samples=1, **options)
        [log] = glob.glob(f"{folder}/*.*")
        log = read_eval_log(log)
    # Where it was run is nobody's business.
    log.eval.task_file = None
    log.eval.model_args = {}
    for sample in log.samples:
        for error in [sample.error, *(event.error for event in sample.events if event.event == "error")]:
            if error:
                error.traceback = error.traceback_ansi = "cut\n"
    write_eval_log(log, path)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    thought = [ContentReasoning(reasoning="One and two make three."), ContentText(text="The sum is 3.")]
    for name in ["tools.eval", "tools.json"]:
        task = Task(
            dataset=samples(),
            solver=[system_message("Answer shortly."), use_tools(add()), keep_aside(), generate()],
            scorer=[includes(), brief(), unsure()],
            name="small_sums",
        )
        outputs = [
            called(21, 7),
            said(thought, 31, 9, 0.0004),
            said("Paris, and nothing else in that country comes close to it in size.", 41, 12, 0.0005),
        ]
        write(task, outputs, f"{folder}/{name}")
    task = Task(dataset=samples(), solver=[fail_at_two()], scorer=includes(), name="half_failed", epochs=2)
    outputs = [said("It is 3.", 11, 4), said("It is 4.", 11, 4)]
    write(task, outputs, f"{folder}/failed.eval", fail_on_error=False)


if __name__ == "__main__":
    main(sys.argv[1])
