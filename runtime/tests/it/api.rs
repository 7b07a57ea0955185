//! Over HTTP: who may call, how refusals look, what the description says.
