module ballast.example/clients/go

go 1.24.0

require github.com/gorilla/websocket v1.5.3
