package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"net/http/httptest"
)

// TrustTLS has c believe the certificate of a server of the tests.
func TrustTLS(c *Client, s *httptest.Server) {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	c.transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}
