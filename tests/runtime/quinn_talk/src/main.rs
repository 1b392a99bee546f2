//! A client and a server of quinn that talk over loopback, through a relay that prints what it carries.
//!
//!     quinn-talk SUITE     (a part of its name, as CHACHA20)
//!
//! Lines: `secret LABEL HEX` (of rustls's key log), `client HEX` and `server HEX` (datagrams, by who sent them).

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{ClientConfig, Connection, Endpoint, ServerConfig};
use rustls::crypto::{ring, CryptoProvider};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::quic::Suite;
use tokio::net::UdpSocket;

type Failure = Box<dyn Error + Send + Sync>;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[derive(Debug)]
struct Print;

impl rustls::KeyLog for Print {
    fn log(&self, label: &str, _: &[u8], secret: &[u8]) {
        println!("secret {label} {}", hex(secret));
    }
}

/// Carries datagrams between the first address that sends one and the server.
async fn relay(socket: UdpSocket, server: SocketAddr) -> Result<(), Failure> {
    let (mut client, mut data) = (server, [0; 65536]);
    loop {
        let (n, from) = socket.recv_from(&mut data).await?;
        if from != server {
            client = from;
        }
        println!("{} {}", if from == server { "server" } else { "client" }, hex(&data[..n]));
        socket.send_to(&data[..n], if from == server { client } else { server }).await?;
    }
}

async fn answer(connection: Connection) -> Result<(), Failure> {
    loop {
        let (mut send, mut receive) = connection.accept_bi().await?;
        let text = receive.read_to_end(1 << 20).await?;
        send.write_all(&text).await?;
        send.finish()?;
    }
}

/// Texts there and back; every third asks for new keys.
async fn talk(connection: &Connection) -> Result<(), Failure> {
    for turn in 0..9usize {
        if turn % 3 == 2 {
            connection.force_key_update();
        }
        let (mut send, mut receive) = connection.open_bi().await?;
        let text = vec![turn as u8; 1 + turn * turn * 200];
        send.write_all(&text).await?;
        send.finish()?;
        assert_eq!(receive.read_to_end(1 << 20).await?, text);
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let name = std::env::args().nth(1).ok_or("usage: quinn-talk SUITE")?;
    let usual = ring::default_provider();
    let initial = usual
        .cipher_suites
        .iter()
        .find_map(|suite| suite.tls13().filter(|its| its.common.suite == rustls::CipherSuite::TLS13_AES_128_GCM_SHA256))
        .and_then(|suite| Some(Suite { suite, quic: suite.quic? }))
        .ok_or("no suite of Initial packets")?;
    let mut provider = CryptoProvider { ..usual };
    provider.cipher_suites.retain(|suite| format!("{:?}", suite.suite()).contains(&name));
    let provider = Arc::new(provider);

    let made = rcgen::generate_simple_self_signed(["localhost".into()])?;
    let (certificate, key) = (made.cert.der().clone(), PrivatePkcs8KeyDer::from(made.key_pair.serialize_der()));
    let server = rustls::ServerConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], PrivateKeyDer::from(key))?;
    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate)?;
    let mut client = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    client.key_log = Arc::new(Print);

    let any: SocketAddr = "127.0.0.1:0".parse()?;
    let server = QuicServerConfig::with_initial(Arc::new(server), initial)?;
    let server = Endpoint::server(ServerConfig::with_crypto(Arc::new(server)), any)?;
    let between = UdpSocket::bind(any).await?;
    let address = between.local_addr()?;
    tokio::spawn(relay(between, server.local_addr()?));
    tokio::spawn(async move {
        while let Some(incoming) = server.accept().await {
            answer(incoming.await?).await?;
        }
        Ok::<(), Failure>(())
    });
    let client_config = QuicClientConfig::with_initial(Arc::new(client), initial)?;
    let client = Endpoint::client(any)?;
    let connection = client.connect_with(ClientConfig::new(Arc::new(client_config)), address, "localhost")?.await?;
    talk(&connection).await?;
    connection.close(0u32.into(), b"");
    tokio::time::timeout(Duration::from_secs(2), client.wait_idle()).await.ok();
    Ok(())
}
