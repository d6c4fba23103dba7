//! What a person approved, in the file and in the variable.

use elenchus::config::{Approvals, ApprovedCeiling, ApprovedFolder, ApprovedServer};
use std::path::{Path, PathBuf};

#[test]
fn what_is_written_is_read_again() {
    let approvals = Approvals {
        servers: vec![
            ApprovedServer {
                url: "https://*.lab.example".to_owned(),
                key: Some("LAB_KEY".to_owned()),
                approved: true,
            },
            ApprovedServer {
                url: "http://far.example".to_owned(),
                key: None,
                approved: false,
            },
        ],
        folders: vec![ApprovedFolder {
            path: PathBuf::from("/work/it's/.elenchus"),
        }],
        ceilings: vec![ApprovedCeiling {
            file: PathBuf::from("/p/config.toml"),
            usd: 50.0,
            approved: true,
        }],
    };
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("trust.toml");
    std::fs::write(&path, approvals.to_text()).unwrap();
    assert_eq!(Approvals::read(&path).unwrap(), approvals);
    assert_eq!(approvals.approved_pairs("a test").count(), 1);
}

#[test]
fn the_variable_holds_addresses_pairs_and_folders() {
    let text = "http://gpu*:8000, https://lab.example=LAB_KEY\n/shared/study below";
    let read = Approvals::parse_variable(text, Path::new("/here")).unwrap();
    let keys: Vec<Option<&str>> = read.servers.iter().map(|one| one.key.as_deref()).collect();
    assert_eq!(keys, [None, Some("LAB_KEY")]);
    let paths: Vec<&Path> = read.folders.iter().map(|one| one.path.as_path()).collect();
    assert_eq!(
        paths,
        [Path::new("/shared/study"), Path::new("/here/below")]
    );
    for wrong in [
        "http://*",
        "https://lab.example=sk-secret-123",
        "lab.example=sk-secret-123",
    ] {
        let error = Approvals::parse_variable(wrong, Path::new("/")).unwrap_err();
        assert!(error.to_string().contains("ELENCHUS_TRUST"), "{error}");
        assert!(!error.to_string().contains("sk-secret"), "{error}");
    }
}

#[test]
fn a_limit_holds_up_to_what_was_approved_and_a_no_from_what_was_refused() {
    let file = PathBuf::from("/p/config.toml");
    let ceiling = |usd, approved| ApprovedCeiling {
        file: file.clone(),
        usd,
        approved,
    };
    let approvals = Approvals {
        ceilings: vec![ceiling(50.0, true), ceiling(80.0, false)],
        ..Approvals::default()
    };
    assert_eq!(approvals.ceiling_answer(&file, 40.0), Some(true));
    assert_eq!(approvals.ceiling_answer(&file, 60.0), None);
    assert_eq!(approvals.ceiling_answer(&file, 90.0), Some(false));
    assert_eq!(approvals.ceiling_answer(Path::new("/q"), 40.0), None);
}
