package main

// Mozilla's root certificates, for a system that has none, as the container image.
import _ "golang.org/x/crypto/x509roots/fallback"
