"""The certificates of the agent and a server and the agent's key, read and put as the library takes them.

Invariant: a key that does not belong to its certificate is refused before anything is sent.
"""

from asyncua.crypto.uacrypto import CertProperties
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_der_private_key,
    load_pem_private_key,
)

from weighbridge.agent.configuration.certificates import content_of, is_pem, unreadable
from weighbridge.agent.configuration.records import OpcUaSecurity, OpcUaServer

Identities = tuple[CertProperties, CertProperties, CertProperties]


def identities(server: OpcUaServer, security: OpcUaSecurity) -> Identities:
    """The agent's certificate and key, and the server's certificate. Raises Refusal."""
    setting = f"security.private_key of the source {server.name}"
    own = _certificate(server, security, "certificate")
    key = _key(security, setting)
    if key.public_key() != own.public_key():
        why = f"it is not the key of the certificate {security.certificate}"
        raise unreadable(security.private_key, setting, why)
    of_server = _certificate(server, security, "server_certificate")
    in_der = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    return _in_der(own), CertProperties(in_der, "der"), _in_der(of_server)


def _in_der(certificate: x509.Certificate) -> CertProperties:
    return CertProperties(certificate.public_bytes(Encoding.DER), "der")


def _certificate(server: OpcUaServer, security: OpcUaSecurity, field: str) -> x509.Certificate:
    path, setting = getattr(security, field), f"security.{field} of the source {server.name}"
    content = content_of(path, setting)
    load = x509.load_pem_x509_certificate if is_pem(content) else x509.load_der_x509_certificate
    try:
        return load(content)
    except ValueError as error:
        raise unreadable(path, setting, f"it holds no certificate in PEM or DER ({error})") from None


def _key(security: OpcUaSecurity, setting: str) -> RSAPrivateKey:
    content = content_of(security.private_key, setting)
    load = load_pem_private_key if is_pem(content) else load_der_private_key
    try:
        key = load(content, None)
    except TypeError:
        raise unreadable(security.private_key, setting, "it is locked with a password") from None
    except ValueError as error:
        raise unreadable(security.private_key, setting, f"it holds no key in PEM or DER ({error})") from None
    if not isinstance(key, RSAPrivateKey):
        raise unreadable(security.private_key, setting, "its key is not an RSA key, which OPC UA takes")
    return key
