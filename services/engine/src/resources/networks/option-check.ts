// Options of the bridge driver: each is honoured, or refused in words.
import { parseAddress } from '../../network/address.ts'
import { networkOptions, readSwitch } from '../../network/network-record.ts'

const isLinkName = (text: string): boolean => /^[^\s/:"%]{1,15}$/.test(text) && text !== '.' && text !== '..'
const isSwitch = (text: string): boolean => readSwitch(text) !== undefined

const minMtu = 68
const maxMtu = 65_535

const checks: Record<string, { isGood(value: string): boolean; expected: string }> = {
  [networkOptions.isDefaultBridge]: { isGood: (text) => readSwitch(text) === false, expected: 'false' },
  [networkOptions.bridgeName]: { isGood: isLinkName, expected: 'an interface name of at most 15 letters' },
  [networkOptions.icc]: { isGood: isSwitch, expected: 'true or false' },
  [networkOptions.masquerade]: { isGood: isSwitch, expected: 'true or false' },
  [networkOptions.hostBinding]: { isGood: (text) => parseAddress(text)?.family === 4, expected: 'an IPv4 address' },
  [networkOptions.mtu]: {
    isGood: (text) => /^\d+$/.test(text) && Number(text) >= minMtu && Number(text) <= maxMtu,
    expected: `a number from ${minMtu} to ${maxMtu}`,
  },
  [networkOptions.interfacePrefix]: {
    isGood: (text) => /^[a-zA-Z][a-zA-Z0-9_-]{0,9}$/.test(text) && text !== 'lo',
    expected: 'a name of at most 10 letters',
  },
  [networkOptions.gatewayMode4]: { isGood: (text) => text === 'nat', expected: 'nat' },
  [networkOptions.gatewayMode6]: { isGood: (text) => text === 'nat', expected: 'nat' },
}

/** Options of other makers are kept as they are: nobody here reads them. */
export function optionProblems(options: Readonly<Record<string, string>>): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const check = checks[name]
    if (check === undefined) return name.startsWith('com.docker.network.') ? [`option ${name} is not supported`] : []
    return check.isGood(value) ? [] : [`invalid value for option ${name}: '${value}' (expected ${check.expected})`]
  })
}
