use super::runtime::{Runtime, RuntimePlaces};
use super::*;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

fn plainly(work: &mut dyn FnMut()) -> Result<(), String> {
    work();
    Ok(())
}

/// A folder whose files pass the checks of their first bytes.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    for file in MODEL_FILES {
        let text: &[u8] = if file == MODEL_FILE {
            b"\x08\x08graph"
        } else {
            b"{}"
        };
        fs::write(folder.path().join(file), text).unwrap();
    }
    folder
}

#[test]
fn a_folder_with_every_file_is_taken_and_each_that_is_missing_is_named() {
    check_model_folder(folder().path()).unwrap();
    for file in MODEL_FILES {
        let folder = folder();
        fs::remove_file(folder.path().join(file)).unwrap();
        let error = check_model_folder(folder.path()).unwrap_err();
        assert!(matches!(&error, EmbedError::NoFile { file: named, .. } if named == file));
        assert!(error.to_string().contains("memory setup"), "{error}");
    }
    let nowhere = check_model_folder(Path::new("/nowhere/at/all")).unwrap_err();
    assert!(matches!(nowhere, EmbedError::NoModel { .. }));
}

#[test]
fn a_file_that_is_something_else_is_named_with_what_it_is() {
    let cases: [(&str, &[u8], &str); 8] = [
        (MODEL_FILE, b"<!DOCTYPE html><html>", "it is a web page"),
        (MODEL_FILE, b"", "it is empty"),
        (MODEL_FILE, b"PK\x03\x04", "it is no ONNX model"),
        (
            MODEL_FILE,
            b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n",
            "a pointer of Git LFS",
        ),
        ("tokenizer.json", b"\n <html>", "it is a web page"),
        ("tokenizer.json", b"{\"cut\": ", "it is no JSON"),
        ("config.json", b"[1, 2]", "it holds no JSON object"),
        ("config.json", b"   ", "it is empty"),
    ];
    for (file, bytes, expected) in cases {
        let folder = folder();
        fs::write(folder.path().join(file), bytes).unwrap();
        let error = check_model_folder(folder.path()).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains(file), "{error}");
    }
}

#[test]
fn a_model_that_pools_otherwise_than_by_the_mean_is_refused() {
    let folder = folder();
    fs::create_dir(folder.path().join("1_Pooling")).unwrap();
    let path = folder.path().join("1_Pooling/config.json");
    fs::write(&path, r#"{"pooling_mode_mean_tokens": true}"#).unwrap();
    check_model_folder(folder.path()).unwrap();
    let otherwise = r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#;
    fs::write(&path, otherwise).unwrap();
    let error = check_model_folder(folder.path()).unwrap_err();
    assert!(
        error.to_string().contains("does not pool by the mean"),
        "{error}"
    );
}

#[test]
fn a_runtime_that_somebody_named_is_the_only_one_that_is_tried() {
    let folder = TempDir::new().unwrap();
    let text = folder.path().join("libonnxruntime.so");
    fs::write(&text, "no library").unwrap();
    let missing = folder.path().join("missing.so");
    for path in [&text, &missing] {
        let places = RuntimePlaces {
            named: Some((path.clone(), "ORT_DYLIB_PATH".to_owned())),
            library_path: vec![folder.path().to_path_buf()],
            ..RuntimePlaces::default()
        };
        let Err(error) = Runtime::find(&places, plainly) else {
            panic!("{} was loaded", path.display());
        };
        assert!(matches!(&error, EmbedError::RuntimeBroken { .. }));
        assert!(
            error.to_string().contains("ORT_DYLIB_PATH names it"),
            "{error}"
        );
    }
}

#[test]
fn every_place_is_tried_and_told_when_none_has_a_runtime() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    let kept = data.join("onnxruntime/lib");
    fs::create_dir_all(&kept).unwrap();
    let first = folder.path().join("libonnxruntime.so.1.2.3");
    fs::write(&first, "no library").unwrap();
    std::os::unix::fs::symlink(&first, folder.path().join("libonnxruntime.so.1")).unwrap();
    fs::write(kept.join("libonnxruntime.so"), "none either").unwrap();
    let places = RuntimePlaces {
        library_path: vec![folder.path().to_path_buf(), PathBuf::from("/nowhere")],
        data_folder: Some(data),
        python: Some(PathBuf::from("/nowhere/python3")),
        named: None,
        refused: None,
    };
    let Err(error) = Runtime::find(&places, plainly) else {
        panic!("something was loaded");
    };
    let text = error.to_string();
    // Two names of one file are one candidate.
    let told = |name: &str| text.contains(&format!("{name}: "));
    let (short, long) = ("/libonnxruntime.so.1", "/libonnxruntime.so.1.2.3");
    assert!(told(short) != told(long), "{text}");
    assert!(told("/onnxruntime/lib/libonnxruntime.so"), "{text}");
    assert!(text.contains("pip install onnxruntime"), "{text}");
    let Err(nothing) = Runtime::find(&RuntimePlaces::default(), plainly) else {
        panic!("something was loaded");
    };
    assert!(
        nothing.to_string().contains("not as a package of python3"),
        "{nothing}"
    );
}
