//! doctor
pub fn run(
    _: &super::args::DoctorArgs,
    _: &super::workshop::Workshop,
) -> anyhow::Result<super::exit::Exit> {
    Ok(super::exit::Exit::Fine)
}
