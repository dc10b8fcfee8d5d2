"""Certificates for tests: an authority of their own, and what it vouches for."""

import ipaddress
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa

URI = "urn:weighbridge:agent"


def make(folder, name, *, by=None, is_authority=False, uri=URI, ended=False):
    """A certificate with its key; gives the paths of both, in PEM, and what vouches with it."""
    key = rsa.generate_private_key(65537, 2048)
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    issuer, vouching = (subject, key) if by is None else by
    begin = datetime.now(UTC) - timedelta(days=40 if ended else 1)
    names = [
        x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("localhost"),
        x509.UniformResourceIdentifier(uri),
    ]  # fmt: skip
    usage = x509.KeyUsage(
        digital_signature=True, content_commitment=True, key_encipherment=True, data_encipherment=True,
        key_agreement=False, key_cert_sign=is_authority, crl_sign=is_authority, encipher_only=False,
        decipher_only=False,
    )  # fmt: skip
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + timedelta(days=30))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(vouching.public_key()), critical=False
        )
        .sign(vouching, hashes.SHA256())
    )
    certificate, private = folder / f"{name}.pem", folder / f"{name}-key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return certificate, private, (subject, key)


def written_as(path, form, ending):
    """The same certificate or key in another form, in a file of another name."""
    content = path.read_bytes()
    if b"PRIVATE KEY" in content:
        key = serialization.load_pem_private_key(content, None)
        held = key.private_bytes(form, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    else:
        held = x509.load_pem_x509_certificate(content).public_bytes(form)
    other = path.with_suffix(ending)
    other.write_bytes(held)
    return other


def locked(path, password):
    """The same key in a file that opens with a password."""
    key = serialization.load_pem_private_key(path.read_bytes(), None)
    locking = serialization.BestAvailableEncryption(password.encode())
    other = path.with_suffix(".locked")
    other.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, locking)
    )
    return other
