"""The engine, the lease, the journal: carrying a plan out and leaving no trace."""
