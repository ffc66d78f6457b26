import { describe, expect, it } from 'vitest'
import { chooseManifest, distance, platformText } from './platform-choice.ts'

const platform = (text: string) => {
  const [os = '', architecture = '', variant] = text.split('/')
  return { os, architecture, ...(variant !== undefined && { variant }) }
}
const offer = (text: string) => ({ mediaType: '', digest: text, size: 0, platform: platform(text) })

describe('the choice of a platform', () => {
  it.each([
    ['linux/arm64', ['linux/amd64', 'linux/arm64/v8', 'linux/arm/v7'], 'linux/arm64/v8'],
    ['linux/aarch64', ['linux/amd64', 'linux/arm64'], 'linux/arm64'],
    ['linux/arm64', ['linux/arm/v6', 'linux/arm/v7'], 'linux/arm/v7'],
    ['linux/arm/v7', ['linux/arm/v5', 'linux/arm/v6', 'linux/arm64'], 'linux/arm/v6'],
    ['linux/arm/v6', ['linux/arm/v7'], undefined],
    ['linux/amd64', ['linux/amd64/v3', 'linux/386'], 'linux/386'],
    ['linux/amd64', ['linux/amd64/v3', 'linux/amd64'], 'linux/amd64'],
    ['linux/amd64', ['unknown/unknown', 'windows/amd64'], undefined],
  ] as const)('for %s', (wanted, offered, chosen) => {
    expect(chooseManifest(offered.map(offer), platform(wanted))?.digest).toBe(chosen)
  })

  it('knows other spellings, and writes the usual ones', () => {
    expect(distance(platform('linux/x86_64'), platform('Linux/amd64'))).toBe(0)
    expect(platformText(platform('linux/aarch64/8'))).toBe('linux/arm64')
    expect(platformText(platform('linux/armhf'))).toBe('linux/arm')
    expect(platformText(platform('linux/arm/v6'))).toBe('linux/arm/v6')
  })
})
