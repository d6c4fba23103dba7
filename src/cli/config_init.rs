//! config_init
