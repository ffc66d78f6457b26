// Platforms: `linux`, `linux/arm64`, `linux/arm/v7`.
import { invalidParameter } from '../errors.ts'
import type { Platform } from './images.ts'

const architectures: Record<string, string> = { x64: 'amd64', ia32: '386', arm64: 'arm64', arm: 'arm' }
const otherNames: Record<string, string> = { x86_64: 'amd64', 'x86-64': 'amd64', aarch64: 'arm64', i386: '386' }
const part = /^[A-Za-z0-9_.-]+$/

export const hostPlatform: Platform = { os: 'linux', architecture: architectures[process.arch] ?? process.arch }

/** `os[/arch[/variant]]`; what is not said is the host's. */
export function parsePlatform(text: string): Platform {
  const parts = text.split('/')
  const [os = '', architecture = hostPlatform.architecture, variant] = parts
  if (parts.length > 3 || parts.some((name) => !part.test(name))) {
    throw invalidParameter(`"${text.slice(0, 100)}" is an invalid platform: it must be os[/arch[/variant]]`)
  }
  const known = architecture.toLowerCase()
  return {
    os: os.toLowerCase(),
    architecture: otherNames[known] ?? known,
    ...(variant !== undefined && { variant: variant.toLowerCase() }),
  }
}

export const isPlatform = (asked: Platform, given: Platform): boolean =>
  asked.os === given.os &&
  asked.architecture === given.architecture &&
  (asked.variant === undefined || asked.variant === (given.variant ?? defaultVariant(given.architecture)))

const defaultVariant = (architecture: string): string | undefined =>
  architecture === 'arm64' ? 'v8' : architecture === 'arm' ? 'v7' : undefined

export const platformText = ({ os, architecture, variant }: Platform): string =>
  [os, architecture, ...(variant === undefined ? [] : [variant])].join('/')
