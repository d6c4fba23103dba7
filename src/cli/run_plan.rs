//! run_plan
