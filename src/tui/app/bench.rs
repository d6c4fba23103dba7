//! The workbench's state: screens in a stack, overlays over them, one status line below.
