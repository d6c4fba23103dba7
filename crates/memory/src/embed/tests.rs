use super::runtime::{Runtime, RuntimePlaces};
use super::*;
use std::fs;
use std::io::Write;
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
        let Err(error) = Runtime::load(&places, plainly) else {
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
    let Err(error) = Runtime::load(&places, plainly) else {
        panic!("something was loaded");
    };
    let text = error.to_string();
    // Two names of one file are one candidate.
    let told = |name: &str| text.contains(&format!("{name}: "));
    let (short, long) = ("/libonnxruntime.so.1", "/libonnxruntime.so.1.2.3");
    assert!(told(short) != told(long), "{text}");
    assert!(told("/onnxruntime/lib/libonnxruntime.so"), "{text}");
    assert!(text.contains("pip install onnxruntime"), "{text}");
    let Err(nothing) = Runtime::load(&RuntimePlaces::default(), plainly) else {
        panic!("something was loaded");
    };
    assert!(
        nothing.to_string().contains("not as a package of python3"),
        "{nothing}"
    );
}

/// A zip file of deflated members.
fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
    for (name, content) in members {
        let file = archive.new_file(name);
        let deflated = file.compression_method(rawzip::CompressionMethod::DEFLATE);
        let (mut entry, config) = deflated.start().unwrap();
        let packed = flate2::write::DeflateEncoder::new(&mut entry, Default::default());
        let mut writer = config.wrap(packed);
        writer.write_all(content).unwrap();
        let (packed, descriptor) = writer.finish().unwrap();
        packed.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    bytes
}

/// A gzipped tar file.
fn tgz(members: &[(&str, &[u8])]) -> Vec<u8> {
    let packed = flate2::write::GzEncoder::new(Vec::new(), Default::default());
    let mut archive = tar::Builder::new(packed);
    for (name, content) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, *content).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

#[test]
fn the_library_with_its_whole_version_is_taken_out_of_a_wheel_and_of_a_tgz() {
    let name = match cfg!(target_os = "macos") {
        true => "libonnxruntime.1.24.4.dylib",
        false => "libonnxruntime.so.1.24.4",
    };
    let inside = format!("onnxruntime/capi/{name}");
    let plain = name.replace(".1.24.4", "");
    let members: [(&str, &[u8]); 4] = [
        ("onnxruntime/capi/libonnxruntime_providers_shared.so", b"no"),
        (&plain, b"a link"),
        (&inside, b"the library"),
        ("LICENSE", b"MIT"),
    ];
    for bytes in [zip(&members), tgz(&members)] {
        let folder = TempDir::new().unwrap();
        let archive = folder.path().join("archive");
        fs::write(&archive, &bytes).unwrap();
        let library = unpack_runtime(&archive, folder.path()).unwrap();
        assert_eq!(library, folder.path().join(name));
        assert_eq!(fs::read(&library).unwrap(), b"the library");
        // Cut off, it is no archive that gives anything.
        fs::write(&archive, &bytes[..bytes.len() / 2]).unwrap();
        let error = unpack_runtime(&archive, folder.path()).unwrap_err();
        assert!(error.to_string().contains("so it is damaged"), "{error}");
    }
}
