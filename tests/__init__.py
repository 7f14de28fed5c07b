"""Makes this folder win over packages of other projects that install one named `tests`."""
