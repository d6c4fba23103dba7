//! Bounds of templates: none outgrows memory, time or the stack, and what is refused is named by line.

use elenchus_game::debate::protocol::Settings;
use elenchus_records::library::Library;
use elenchus_test_support::program::Program;

const DOUBLED: &str = "{% set a = a ~ a %}\n";

/// What the game's compiler says of a body under `=== user`, which is line 2 of the template.
fn said(body: &str) -> Result<(), String> {
    let library = Library::default();
    let game = library.load_game("pred", &Settings::new()).unwrap();
    let text = format!("=== user\n{body}");
    let game = game.with_template("debater", &text);
    game.map(drop).map_err(|error| error.to_string())
}

#[track_caller]
fn refused(body: &str, place: &str, why: &str) {
    let error = said(body).expect_err(body);
    assert!(error.contains(place), "{place}: {error}");
    assert!(error.contains(why), "{why}: {error}");
}

#[test]
fn values_that_could_outgrow_memory_are_refused_by_line() {
    let growing = "256 MiB together";
    let begin = "{% set a = 'x' %}\n";
    refused(
        &format!("{begin}{}", DOUBLED.repeat(40)),
        "debater.md:30:",
        growing,
    );
    refused(
        &format!("{begin}{}", "{% set a = a + a %}\n".repeat(40)),
        ":",
        growing,
    );
    refused("{{ 'x' * 1000000000 }}", "debater.md:2:", growing);
    refused("{{ 'x' * round * n }}", "debater.md:2:", "repeated only");
    refused("{{ range(100000)|join('x' * 100000) }}", ":2:", growing);
    let replaced = "{% set a = a|replace('x', a ~ 'xxxxxxxx') %}\n";
    refused(&format!("{begin}{}", replaced.repeat(12)), ":", growing);
    refused("{{ 'a'|indent(1000000000) }}", ":2:", "up to 1000");
    refused("{{ [1]|batch(1000000000)|list }}", ":2:", "up to 1000");
    refused("{{ '%1000000000d'|format(1) }}", ":2:", "'format' takes");
    refused(
        "{{ [1]|map('replace', '1', 'x' * 300000000)|list }}",
        ":2:",
        growing,
    );
    let long = "{% set d = 'x' * 100000 %}{{ range(100000)|map(attribute='a', default=d)|list }}";
    refused(long, ":2:", growing);
    let nested = "{% for a in [a ~ a] %}".repeat(40) + &"{% endfor %}".repeat(40);
    refused(&format!("{begin}{nested}"), ":3:", growing);
    let within = "{% set b %}{% set a = a ~ a %}{% endset %}\n".repeat(40);
    refused(&format!("{begin}{within}"), ":", growing);
}

#[test]
fn what_has_no_bound_is_not_offered() {
    let grown = "{% set ns = namespace(a='x') %}{% for i in range(40) %}\
                 {% set ns.a = ns.a ~ ns.a %}{% endfor %}";
    refused(grown, ":2:", "only range(), dict() and loop.cycle()");
    let kept = "{% set a %}\n{% for i in range(100000) %}xxxx{% endfor %}{% endset %}";
    refused(kept, ":3:", "a loop inside a block whose text is kept");
    refused(
        "{% for i in [1] recursive %}{{ i }}{% endfor %}",
        ":2:",
        "recursive",
    );
    refused("{{ topic|unheard_of }}", ":2:", "the filter 'unheard_of'");
}

#[test]
fn expressions_go_only_so_deep_as_the_stack_reaches() {
    let long = "400 words and signs";
    refused(&format!("{{{{ 1{} }}}}", "+1".repeat(100_000)), ":2:", long);
    refused(
        &format!("{{{{ {}1 }}}}", "not ".repeat(100_000)),
        ":2:",
        long,
    );
    refused(
        &format!("{{{{ 'x'{} }}}}", "|upper".repeat(50_000)),
        ":2:",
        long,
    );
    let lists = "{% set l = [l] %}\n".repeat(50_000);
    refused(&format!("{{% set l = [] %}}\n{lists}"), ":102:", "100 deep");
    let elifs = "{% elif round == 1 %}\n".repeat(40_000);
    refused(
        &format!("{{% if round == 0 %}}\n{elifs}{{% endif %}}"),
        ":103:",
        "100 times 'elif'",
    );
    // As deep as is offered, on the stack of a thread of tests.
    assert_eq!(said(&format!("{{{{ 1{} }}}}", "+1".repeat(190))), Ok(()));
    assert_eq!(said(&format!("{{{{ {}1 }}}}", "not ".repeat(380))), Ok(()));
}

#[test]
fn ordinary_words_of_the_language_are_offered() {
    let ordinary = "{% set names = ['a', 'b'] %}{% for name in names if name != 'c' %}\
                    {{ loop.index + 1 }} {{ name ~ ': ' }}{% if not loop.last %}, {% endif %}\
                    {% else %}nobody{% endfor %}\
                    {{ names|join(', ')|upper|indent(4) }} {{ '%.2f'|format(1.5) }}\
                    {% for i in range(3) %}{{ i * 2 }}{% endfor %}{{ names[0][:1] }}\
                    {% filter lower %}LOUD{% endfilter %}{% set kept %}K {{ round }}{% endset %}\
                    {{ kept }}{% with n = rounds - round %}{{ n }}{% endwith %}\
                    {{ names|map('upper')|list|length }} {{ dict(a=1).a }}\n{{ topic }}";
    assert_eq!(said(ordinary), Ok(()));
}

#[test]
fn a_page_that_a_loop_prints_is_bounded() {
    let raw = "x".repeat(4_000);
    let printed = format!("{{% for i in range(100000) %}}{raw}{{% endfor %}}");
    let library = Library::default();
    let game = library.load_game("pred", &Settings::new()).unwrap();
    let text = format!("=== user\n{printed}");
    let game = game.with_template("debater", &text).unwrap();
    let found = format!("{:?}", game.rehearse_templates());
    assert!(found.contains("prints more than 64 MiB"), "{found}");
    let often = "=== user\n{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}";
    let game = game.with_template("debater", often).unwrap();
    let found = format!("{:?}", game.rehearse_templates());
    assert!(found.contains("too many steps"), "{found}");
}

#[test]
fn check_and_run_name_the_template_and_the_line() {
    let program = Program::new();
    let text = format!(
        "=== user\n{{% set a = 'x' %}}\n{}{{{{ topic }}}}\n",
        DOUBLED.repeat(40)
    );
    program.write(".elenchus/prompts/pred/debater.md", &text);
    for args in [
        &["protocols", "check", "pred"][..],
        &["prompts", "check"],
        &["run", "--protocol", "pred", "--topic", "hi"],
    ] {
        let ran = program.run(args);
        assert_eq!(ran.code, 1, "{args:?}: {}", ran.err);
        let all = format!("{}{}", ran.out, ran.err);
        assert!(all.contains("debater.md:30"), "{args:?}: {all}");
    }
}

/// A row of somebody's file may hold a conversation of any length: what is a small value as a rule is
/// checked anew where it is not.
#[test]
fn a_long_value_of_a_topic_is_bounded_where_it_is_joined() {
    let program = Program::new();
    let said = r#"{"role":"user","content":"one of very many short messages"}"#;
    let said = [said; 3_000].join(",");
    program.write(
        "topics.jsonl",
        &format!("{{\"text\":\"hi\",\"conversation\":[{said}]}}\n"),
    );
    let play = |template: &str| {
        program.write(".elenchus/prompts/pred/debater.md", template);
        let data = ["--dataset", "topics.jsonl", "--model", "sim"];
        program.run(&[&["run", "--protocol", "pred"][..], &data].concat())
    };
    let once = "=== user\n{{ topic }}\n{{ conversation|map(attribute='role')|join(', ') }}\n";
    play(once).ended_with(0);
    let often = format!(
        "=== user\n{{{{ topic }}}}\n{{% set a = conversation ~ '' %}}\n{}",
        DOUBLED.repeat(7)
    );
    let ran = play(&often);
    assert_ne!(ran.code, 0, "{}", ran.out);
    let told = ["debater:9: ", "'conversation' has", "256 MiB together"];
    for words in told {
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
    }
}
