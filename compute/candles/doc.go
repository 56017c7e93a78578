// Package candles reads and writes files of hourly candles, fetches candles from the venue, and
// reads the public kline files of Binance.
//
// A candle file is CSV, plain or gzip, one row per hour, oldest first:
//
//	ts,open,high,low,close,volume
//	1577836800000,7189.43,7190.52,7170.15,7171.55,2449.049
//
// ts is the open time in ms since 1970 UTC, prices are in USD, volume is in base units. Missing
// hours stay missing; no bar is made up.
package candles
