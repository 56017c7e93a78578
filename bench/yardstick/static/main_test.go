package main

import (
	"bytes"
	"testing"

	"github.com/valyala/fasthttp"

	"ballast/bench/yardstick/sample"
)

func TestAnswer(t *testing.T) {
	var ctx fasthttp.RequestCtx
	answer(&ctx)
	if !bytes.Equal(ctx.Response.Body(), sample.JSON) || ctx.Response.StatusCode() != 200 ||
		string(ctx.Response.Header.ContentType()) != "application/json" {
		t.Errorf("%s", &ctx.Response)
	}
	if n := ctx.Response.Header.ContentLength(); len(sample.JSON)+200 > writeBuffer || n > writeBuffer {
		t.Errorf("the answer does not fit into the write buffer, so it needs more than one write")
	}
}
