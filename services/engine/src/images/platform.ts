// Platforms: `linux`, `linux/arm64`, `linux/arm/v7`.
import { invalidParameter } from '../errors.ts'
import type { Platform } from './images.ts'

const architectures: Record<string, string> = { x64: 'amd64', ia32: '386', arm64: 'arm64', arm: 'arm' }
const otherNames: Record<string, string> = { x86_64: 'amd64', 'x86-64': 'amd64', aarch64: 'arm64', i386: '386' }
const otherSystems: Record<string, string> = { macos: 'darwin' }
const part = /^[A-Za-z0-9_.-]+$/
const systems = new Set(
  'aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows zos'.split(
    ' ',
  ),
)
const processors = new Set(
  '386 amd64 amd64p32 arm arm64 arm64be armbe loong64 mips mips64 mips64le mips64p32 mips64p32le mipsle ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm'.split(
    ' ',
  ),
)

export const hostPlatform: Platform = { os: 'linux', architecture: architectures[process.arch] ?? process.arch }

/** `os[/arch[/variant]]`, or `arch` alone; what is not said is the host's. */
export function parsePlatform(text: string): Platform {
  const parts = text.split('/')
  const shown = JSON.stringify(text.slice(0, 100))
  const wrong = parts.find((name) => !part.test(name))
  if (wrong !== undefined) {
    const place = wrong === parts[0] ? 'OS component' : 'component'
    throw invalidParameter(
      `${JSON.stringify(wrong.slice(0, 100))} is an invalid ${place} of ${shown}: write os[/arch[/variant]]`,
    )
  }
  if (parts.length > 3) throw invalidParameter(`${shown} is an invalid platform: it must be os[/arch[/variant]]`)
  const [first = '', second, variant] = parts.map((name) => name.toLowerCase())
  const os = otherSystems[first] ?? first
  if (second !== undefined) return { os, architecture: otherNames[second] ?? second, ...(variant && { variant }) }
  if (systems.has(os)) return { os, architecture: hostPlatform.architecture }
  const architecture = otherNames[first] ?? first
  if (processors.has(architecture)) return { os: hostPlatform.os, architecture }
  throw invalidParameter(`${shown}: unknown operating system or architecture`)
}

export const isKnownSystem = (os: string): boolean => systems.has(os)

export const isPlatform = (asked: Platform, given: Platform): boolean =>
  asked.os === given.os &&
  asked.architecture === given.architecture &&
  (asked.variant === undefined || asked.variant === (given.variant ?? defaultVariant(given.architecture)))

const defaultVariant = (architecture: string): string | undefined =>
  architecture === 'arm64' ? 'v8' : architecture === 'arm' ? 'v7' : undefined

export const platformText = ({ os, architecture, variant }: Platform): string =>
  [os, architecture, ...(variant === undefined ? [] : [variant])].join('/')
