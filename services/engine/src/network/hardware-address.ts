// Hardware (MAC) addresses of interfaces.
import { parseAddress } from './address.ts'

const form = /^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$|^[0-9a-f]{4}(\.[0-9a-f]{4}){2}$/i

/** As `02:42:ac:11:00:02`; undefined when it is none, or one that no single interface can have. */
export function readHardwareAddress(text: string): string | undefined {
  if (!form.test(text)) return undefined
  const digits = text.replace(/[:.-]/g, '').toLowerCase()
  const isGroup = (Number.parseInt(digits.slice(0, 2), 16) & 1) === 1
  return isGroup || /^0+$/.test(digits) ? undefined : (digits.match(/../g) ?? []).join(':')
}

/** Locally administered, and as unique on its network as the IPv4 address it is made of. */
export function hardwareAddressOf(address: string): string {
  const parsed = parseAddress(address)
  const low = (parsed?.value ?? 0n) & 0xffffffffn
  const digits = low.toString(16).padStart(8, '0')
  return `02:42:${(digits.match(/../g) ?? []).join(':')}`
}
