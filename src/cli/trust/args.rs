//! Arguments of `elenchus trust`.

use clap::Args;

/// What is trusted by itself, and examples.
const TRUST: &str = "\
The text of debates and the keys of servers go only where you said so: to the
providers of your own configuration, to OPENAI_BASE_URL with OPENAI_API_KEY, and
to what is approved here. A session or a project's configuration adds no address
by itself. A server on this machine is free, as long as it wants no key.

Without anything: list what is trusted, and where that was said
  elenchus trust
Text, and the key that LAB_KEY holds
  elenchus trust https://lab.example --key LAB_KEY
Text only; '*' stands for letters of one part of the host, or for the port
  elenchus trust 'http://gpu*:8000'
Obey the .elenchus folder there, whoever owns it
  elenchus trust /work/study
Its budget_usd may be above your own, up to $50
  elenchus trust /work/study --budget-usd 50
In the environment of jobs, containers and CI, between commas or spaces
  ELENCHUS_TRUST='http://gpu*:8000,https://lab.example=LAB_KEY,/work/study'";

/// `elenchus trust`
#[derive(Debug, Args)]
#[command(after_help = TRUST)]
pub struct TrustArgs {
    /// A server's address, or a folder that holds an .elenchus folder
    #[arg(value_name = "URL|FOLDER")]
    pub what: Option<String>,
    /// The environment variable whose key may be sent to that server
    #[arg(long, value_name = "VARIABLE", requires = "what")]
    pub key: Option<String>,
    /// The highest budget_usd that the folder's configuration may set
    #[arg(long, value_name = "USD", requires = "what", conflicts_with_all = ["key", "remove"])]
    pub budget_usd: Option<f64>,
    /// Trust it no longer, and forget the answer that was given
    #[arg(long, requires = "what")]
    pub remove: bool,
}
