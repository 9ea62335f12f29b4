class Security:
    def __init__(
        self,
        *,
        tls_ca_file: str,
        tls_client_cert: str,
        tls_client_key: str,
        require_encryption: bool,
    ) -> None: ...
