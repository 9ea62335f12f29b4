from typing import Any

class Security:
    extra_conn_args: dict[str, Any]
    def __init__(
        self,
        *,
        tls_ca_file: str = ...,
        tls_client_cert: str = ...,
        tls_client_key: str = ...,
        require_encryption: bool,
    ) -> None: ...
    def get_connection_args(self, role: str) -> dict[str, Any]: ...
