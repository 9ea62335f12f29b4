"""A double of XenServer's XAPI: TLS, XML-RPC, events and metrics, held to XAPI's own datamodel call by call."""
