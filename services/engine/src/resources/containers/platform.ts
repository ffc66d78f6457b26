// `os[/arch[/variant]]`, as a query names a platform.
import { invalidParameter } from '../../errors.ts'
import type { Platform } from '../../images/images.ts'

const part = /^[A-Za-z0-9_.-]+$/
/** Other names of the same. */
const architectures: Record<string, string> = {
  x86_64: 'amd64',
  'x86-64': 'amd64',
  aarch64: 'arm64',
  armhf: 'arm',
  armel: 'arm',
  i386: '386',
}

export function readPlatform(text: string | undefined, host: Platform): Platform | undefined {
  if (!text) return undefined
  const parts = text.toLowerCase().split('/')
  if (parts.length > 3 || !parts.every((word) => part.test(word))) {
    throw invalidParameter(`"${text}" is an invalid OS/ARCH/VARIANT platform: expected os[/arch[/variant]]`)
  }
  const [os = '', architecture = host.architecture, variant] = parts
  return {
    os: os === 'macos' ? 'darwin' : os,
    architecture: architectures[architecture] ?? architecture,
    ...(variant === undefined ? {} : { variant }),
  }
}
