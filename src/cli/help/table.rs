//! Groups of commands, the usual options of those that have many, related commands and pages of the manual.

/// Commands that are listed together, by what one wants to do.
#[derive(Debug)]
pub struct CommandGroup {
    pub title: &'static str,
    pub commands: &'static [&'static str],
}

/// What the help of a command says beside its own options.
#[derive(Debug)]
pub struct CommandHelp {
    /// Words that call it, without the program's name.
    pub command: &'static str,
    /// Page of the manual that describes it.
    pub page: &'static str,
    /// Related commands, the most useful first.
    pub see: &'static [&'static str],
    /// Ids of the options that `-h` shows and `--help` puts first; all of them where it is empty.
    pub usual: &'static [&'static str],
}

impl CommandHelp {
    const fn new(command: &'static str, page: &'static str, see: &'static [&'static str]) -> Self {
        Self {
            command,
            page,
            see,
            usual: &[],
        }
    }

    const fn with_usual(self, usual: &'static [&'static str]) -> Self {
        Self { usual, ..self }
    }

    /// Returns the lines with which its help ends.
    pub fn describe_see_also(&self) -> String {
        let commands: Vec<String> = self
            .see
            .iter()
            .map(|see| format!("elenchus {see}"))
            .collect();
        format!(
            "See also: {}\nManual:   docs/{}.md",
            commands.join(", "),
            self.page
        )
    }
}

/// Groups of the program's commands.
pub const COMMAND_GROUPS: &[CommandGroup] = &[
    CommandGroup {
        title: "Play debates",
        commands: &[
            "quickstart",
            "run",
            "sweep",
            "study",
            "golden",
            "gate",
            "rollout",
        ],
    },
    CommandGroup {
        title: "Look at what was played",
        commands: &["open", "ls", "show", "metrics", "experiments", "report"],
    },
    CommandGroup {
        title: "Judge again",
        commands: &["judge", "validate"],
    },
    CommandGroup {
        title: "Label by hand",
        commands: &["annotate", "labels"],
    },
    CommandGroup {
        title: "Games and prompts",
        commands: &["protocols", "prompts"],
    },
    CommandGroup {
        title: "Memory",
        commands: &["memory"],
    },
    CommandGroup {
        title: "Keep and exchange",
        commands: &["export", "import", "verify"],
    },
    CommandGroup {
        title: "Set up",
        commands: &[
            "servers",
            "trust",
            "doctor",
            "config",
            "examples",
            "completions",
        ],
    },
];

/// Groups of the commands on memory.
pub const MEMORY_GROUPS: &[CommandGroup] = &[
    CommandGroup {
        title: "Look",
        commands: &["list", "search", "show"],
    },
    CommandGroup {
        title: "Write and change",
        commands: &["add", "edit", "disable", "enable", "delete", "restore"],
    },
    CommandGroup {
        title: "Guardrails alone",
        commands: &["derive", "test", "accept", "reject", "reopen"],
    },
    CommandGroup {
        title: "What an entry does",
        commands: &["ablate"],
    },
    CommandGroup {
        title: "Keep and exchange",
        commands: &["export", "import"],
    },
    CommandGroup {
        title: "Set up",
        commands: &["setup"],
    },
];

const RUNS: &str = "runs-and-experiments";
const STORE: &str = "formats-and-store";
const LABELS: &str = "annotation";
const JUDGING: &str = "judging-and-validation";
const SERVERS: &str = "models-and-servers";

/// Help of every command.
pub const HELP: &[CommandHelp] = &[
    CommandHelp::new("open", "workbench", &["ls", "show", "annotate"]),
    CommandHelp::new(
        "quickstart",
        "getting-started",
        &["run", "servers add", "annotate"],
    )
    .with_usual(&[
        "server",
        "key",
        "debaters",
        "evaluator",
        "debates",
        "budget_usd",
        "yes",
        "then",
    ]),
    CommandHelp::new("run", RUNS, &["sweep", "show", "metrics"]).with_usual(&[
        "protocol",
        "topic",
        "dataset",
        "sample",
        "model",
        "debaters",
        "evaluator",
        "rounds",
        "budget_usd",
        "resume",
    ]),
    CommandHelp::new("sweep", RUNS, &["run", "metrics", "report"]).with_usual(&[
        "estimate",
        "resume",
        "show",
        "list",
        "csv",
        "json",
        "budget_usd",
        "concurrency",
    ]),
    CommandHelp::new("study", "studies", &["sweep", "run", "metrics"]).with_usual(&[
        "model",
        "dataset",
        "svg",
        "estimate",
        "print_only",
        "plan",
        "budget_usd",
        "quiet",
    ]),
    CommandHelp::new("golden", "governance", &["gate", "run", "metrics"]),
    CommandHelp::new("golden run", "governance", &["golden show", "gate", "run"]).with_usual(&[
        "protocol",
        "single",
        "single_model",
        "model",
        "seat",
        "sample",
        "rollouts",
        "budget_usd",
        "estimate",
        "json",
    ]),
    CommandHelp::new("golden show", "governance", &["golden run", "metrics"]),
    CommandHelp::new(
        "gate",
        "governance",
        &["golden run", "run", "protocols list"],
    )
    .with_usual(&[
        "task",
        "confidence",
        "downside",
        "answer",
        "topic",
        "protocol",
        "model",
        "rounds",
        "exit_code",
        "json",
    ]),
    CommandHelp::new("rollout", STORE, &["run", "export", "metrics"]).with_usual(&[
        "protocol",
        "rollouts",
        "model",
        "seat",
        "rounds",
        "set",
        "seed",
        "budget_usd",
        "concurrency",
        "quiet",
    ]),
    CommandHelp::new("ls", STORE, &["show", "open", "experiments list"]),
    CommandHelp::new("show", STORE, &["ls", "open", "report"]),
    CommandHelp::new(
        "metrics",
        "figures",
        &["validate", "report", "sweep", "judge"],
    )
    .with_usual(&[
        "run", "session", "protocol", "by", "measure", "compare", "table", "plot", "json", "csv",
    ]),
    CommandHelp::new("experiments", RUNS, &["run", "sweep", "ls"]),
    CommandHelp::new("experiments list", RUNS, &["experiments show", "ls"]),
    CommandHelp::new(
        "experiments show",
        RUNS,
        &["experiments list", "metrics", "report"],
    ),
    CommandHelp::new("experiments resume", RUNS, &["experiments list", "run"]),
    CommandHelp::new("report", RUNS, &["metrics", "show", "export"]),
    CommandHelp::new("judge", JUDGING, &["judge list", "validate", "metrics"]).with_usual(&[
        "all",
        "run",
        "session",
        "protocol",
        "rubric",
        "model",
        "detector",
        "budget_usd",
        "estimate",
        "resume",
    ]),
    CommandHelp::new("judge list", JUDGING, &["judge", "validate"]),
    CommandHelp::new("validate", JUDGING, &["labels queue", "annotate", "judge"]).with_usual(&[
        "set",
        "evaluator",
        "run",
        "gold",
        "by",
        "queue",
        "turns",
        "plot",
        "json",
        "csv",
    ]),
    CommandHelp::new("annotate", LABELS, &["labels queue", "validate", "open"]),
    CommandHelp::new("labels", LABELS, &["annotate", "validate"]),
    CommandHelp::new("labels sets", LABELS, &["labels queue", "annotate"]),
    CommandHelp::new(
        "labels queue",
        LABELS,
        &["annotate", "labels extend", "validate"],
    )
    .with_usual(&[
        "set",
        "run",
        "protocol",
        "verdict",
        "unlabelled",
        "simulated",
        "all",
        "sample",
        "per_stratum",
        "strata",
    ]),
    CommandHelp::new("labels extend", LABELS, &["labels queue", "validate"]),
    CommandHelp::new("labels queues", LABELS, &["labels queue", "annotate"]),
    CommandHelp::new("labels list", LABELS, &["labels export", "validate"]),
    CommandHelp::new("labels import", LABELS, &["labels export", "validate"]).with_usual(&[
        "set",
        "human",
        "automatic",
        "map",
        "kind",
        "skip_bad_rows",
        "check",
    ]),
    CommandHelp::new("labels export", LABELS, &["labels import", "export"]),
    CommandHelp::new("labels pack", LABELS, &["labels merge", "labels queue"]),
    CommandHelp::new("labels merge", LABELS, &["labels pack", "validate"]),
    CommandHelp::new("protocols", "protocols", &["run", "prompts"]),
    CommandHelp::new("protocols list", "protocols", &["protocols show", "run"]),
    CommandHelp::new(
        "protocols show",
        "protocols",
        &["protocols diff", "prompts list"],
    ),
    CommandHelp::new(
        "protocols diff",
        "protocols",
        &["protocols show", "prompts diff"],
    ),
    CommandHelp::new("protocols pin", "protocols", &["protocols check", "verify"]),
    CommandHelp::new(
        "protocols check",
        "protocols",
        &["prompts check", "protocols show"],
    ),
    CommandHelp::new("prompts", "prompts", &["protocols", "run"]),
    CommandHelp::new(
        "prompts list",
        "prompts",
        &["prompts show", "prompts eject"],
    ),
    CommandHelp::new(
        "prompts show",
        "prompts",
        &["prompts list", "prompts render"],
    ),
    CommandHelp::new(
        "prompts render",
        "prompts",
        &["prompts show", "prompts check"],
    ),
    CommandHelp::new(
        "prompts check",
        "prompts",
        &["prompts render", "protocols check"],
    ),
    CommandHelp::new(
        "prompts eject",
        "prompts",
        &["prompts try", "prompts ab", "prompts log"],
    ),
    CommandHelp::new(
        "prompts log",
        "prompts",
        &["prompts diff", "prompts restore"],
    ),
    CommandHelp::new(
        "prompts label",
        "prompts",
        &["prompts log", "prompts restore"],
    ),
    CommandHelp::new(
        "prompts restore",
        "prompts",
        &["prompts log", "prompts diff"],
    ),
    CommandHelp::new("prompts diff", "prompts", &["prompts log", "prompts ab"]),
    CommandHelp::new("prompts accept", "prompts", &["prompts log", "verify"]),
    CommandHelp::new("prompts try", "prompts", &["prompts ab", "prompts render"]).with_usual(&[
        "with",
        "samples",
        "roll_forward",
        "adopt",
        "budget_usd",
        "estimate",
        "resume",
        "json",
    ]),
    CommandHelp::new(
        "prompts ab",
        "prompts",
        &["prompts try", "prompts diff", "sweep"],
    )
    .with_usual(&[
        "a",
        "b",
        "seat",
        "protocol",
        "samples",
        "run",
        "turns",
        "dataset",
        "roll_forward",
        "show",
    ]),
    CommandHelp::new("memory", "memory", &["run", "prompts"]),
    CommandHelp::new("memory list", "memory", &["memory show", "memory search"]),
    CommandHelp::new("memory search", "memory", &["memory show", "memory setup"]),
    CommandHelp::new("memory show", "memory", &["memory list", "memory ablate"]),
    CommandHelp::new(
        "memory add",
        "memory",
        &["memory edit", "memory import", "memory test"],
    ),
    CommandHelp::new("memory edit", "memory", &["memory show", "memory add"]),
    CommandHelp::new(
        "memory disable",
        "memory",
        &["memory enable", "memory delete"],
    ),
    CommandHelp::new(
        "memory enable",
        "memory",
        &["memory disable", "memory import"],
    ),
    CommandHelp::new(
        "memory delete",
        "memory",
        &["memory restore", "memory disable"],
    ),
    CommandHelp::new(
        "memory restore",
        "memory",
        &["memory delete", "memory list"],
    ),
    CommandHelp::new("memory derive", "memory", &["memory test", "memory accept"]),
    CommandHelp::new(
        "memory test",
        "memory",
        &["memory accept", "memory reject", "memory show"],
    )
    .with_usual(&[
        "dataset",
        "model",
        "sample",
        "again",
        "namespace",
        "budget_usd",
        "estimate",
        "resume",
        "json",
    ]),
    CommandHelp::new(
        "memory accept",
        "memory",
        &["memory test", "memory reopen", "memory reject"],
    ),
    CommandHelp::new(
        "memory reject",
        "memory",
        &["memory reopen", "memory accept"],
    ),
    CommandHelp::new(
        "memory reopen",
        "memory",
        &["memory accept", "memory reject"],
    ),
    CommandHelp::new(
        "memory ablate",
        "memory",
        &["memory show", "memory disable"],
    )
    .with_usual(&[
        "entry",
        "replicates",
        "rounds",
        "show",
        "budget_usd",
        "estimate",
        "resume",
        "json",
    ]),
    CommandHelp::new("memory export", "memory", &["memory import", "export"]),
    CommandHelp::new(
        "memory import",
        "memory",
        &["memory export", "memory enable", "import"],
    ),
    CommandHelp::new("memory setup", "memory", &["memory search", "doctor"]),
    CommandHelp::new("export", STORE, &["import", "report", "labels export"]).with_usual(&[
        "output",
        "run",
        "all",
        "turns",
        "debates",
        "record",
        "sft",
        "outcomes",
        "preferences",
        "inspect",
    ]),
    CommandHelp::new("import", STORE, &["export", "labels import", "verify"]),
    CommandHelp::new("verify", STORE, &["import", "doctor"]),
    CommandHelp::new("servers", SERVERS, &["trust", "doctor", "quickstart"]),
    CommandHelp::new(
        "servers add",
        SERVERS,
        &["servers list", "quickstart", "run"],
    ),
    CommandHelp::new("servers list", SERVERS, &["servers add", "doctor"]),
    CommandHelp::new("servers remove", SERVERS, &["servers list", "trust"]),
    CommandHelp::new("trust", "security", &["servers list", "doctor"]),
    CommandHelp::new(
        "doctor",
        SERVERS,
        &["servers list", "verify", "memory setup"],
    ),
    CommandHelp::new("config", "configuration", &["servers add", "trust"]),
    CommandHelp::new("config init", "configuration", &["servers add", "doctor"]),
    CommandHelp::new(
        "examples",
        "getting-started",
        &["quickstart", "study", "run"],
    ),
    CommandHelp::new("completions", "getting-started", &["doctor"]),
];
