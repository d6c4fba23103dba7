//! A game that none of the built-in ones resembles.

/// A game with everything in it: private and structured stages, retries, every kind of judging,
/// rewards, feedback and a stop rule. None of the built-in games resembles it.
pub const KITCHEN: &str = r#"
id = "kitchen"
name = "Kitchen sink"
description = "Everything at once"
measures = "quality"
rounds = "$rounds"

[settings.rounds]
default = 3
min = 1
max = 9
help = "rounds"

[settings.reveal]
default = false
help = "verdicts"

[settings.cooks]
default = 2
min = 1
max = 5
help = "cooks"

[[seats]]
id = "cook"
kind = "speaker"
count = "$cooks"

[[seats]]
id = "guest"
kind = "speaker"

[[seats]]
id = "inspector"
kind = "evaluator"
count = 2

[[seats]]
id = "chef"
kind = "judge"

[[seats]]
id = "scribe"
kind = "feedback"

[[stages]]
id = "plan"
seats = ["cook"]
private = true
[stages.sees]
topic = true
memory = true
own_private = "all"
turns = [{ seats = ["guest"] }]

[[stages]]
id = "dish"
seats = ["cook"]
[stages.sees]
topic = true
own_private = "this_round"
verdicts = "$reveal"
turns = [{ seats = ["cook", "guest"], rounds = "earlier" }]

[[stages]]
id = "taste"
seats = ["guest"]
in_last_round = false
[stages.sees]
topic = true
turns = [{ seats = ["cook"], stages = ["dish"] }]
[stages.output]
type = "object"
[[stages.retry]]
field = "score"
below = 5
at_most = 1

[[stages]]
id = "toast"
seats = ["guest", "cook"]
order = "sequential"
rounds = "last"
[stages.sees]
turns = [{ seats = ["guest", "cook"], rounds = "this" }]

[[judging]]
id = "hygiene"
by = "inspector"
of = "turn"
turns = [{ seats = ["cook"], stages = ["dish"] }]
rubric = "hygiene"
combine = "mean"
[judging.sees]
topic = true

[[judging]]
id = "right"
grader = "auto"
of = "turn"
when = "end"
turns = [{ seats = ["cook"], stages = ["dish"] }]

[[judging]]
id = "evening"
by = "chef"
of = "round"
rubric = "evening"
[judging.sees]
turns = [{ seats = ["cook", "guest"], rounds = "this" }]

[[judging]]
id = "stars"
by = "chef"
of = "debate"
rubric = "stars"
[judging.sees]
turns = [{ seats = ["cook"] }]

[rewards.stars.bad]
cook = -1
guest = 1

[feedback]
by = "scribe"
judging = "hygiene"
labels = ["bad"]
[feedback.sees]
verdicts = true
turns = [{ seats = ["cook"] }]

[[stop]]
judging = "evening"
labels = ["bad"]
"#;
