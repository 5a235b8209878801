//go:build !cgo || !linux || !(amd64 || arm64)

package postrider

// The name says why this does not compile: there is no library for this platform, or cgo is off.
var _ = postriderNeedsCgoAndLinuxOnAMD64OrARM64
