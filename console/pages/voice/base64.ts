// Bytes as the realtime API writes them.
export const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))

/** A piece of sound at most: each of its bytes is an argument. */
export const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
