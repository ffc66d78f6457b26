// Which image of an index suits a platform.
import type { Descriptor } from '../image-intake.ts'
import type { Platform } from '../images.ts'

const otherNames: Record<string, Pick<Platform, 'architecture' | 'variant'>> = {
  x86_64: { architecture: 'amd64' },
  'x86-64': { architecture: 'amd64' },
  aarch64: { architecture: 'arm64' },
  i386: { architecture: '386' },
  i686: { architecture: '386' },
  armhf: { architecture: 'arm', variant: 'v7' },
  armel: { architecture: 'arm', variant: 'v6' },
}

/** What is meant when no variant is named. */
const usualVariants: Record<string, string> = { arm: 'v7', arm64: 'v8', amd64: 'v1' }

/** One spelling for each platform. */
function normalize({ os, architecture, variant }: Platform): Required<Platform> {
  const name = architecture.toLowerCase()
  const known = otherNames[name] ?? { architecture: name }
  const told = variant?.toLowerCase() || known.variant || usualVariants[known.architecture] || ''
  return { os: os.toLowerCase(), architecture: known.architecture, variant: /^\d/.test(told) ? `v${told}` : told }
}

/** `linux/arm64/v8` as people write it: `linux/arm64`. */
export function platformText(platform: Platform): string {
  const { os, architecture, variant } = normalize(platform)
  return [os, architecture, ...(variant === '' || variant === usualVariants[architecture] ? [] : [variant])].join('/')
}

/** Runs programs of `offered` on `wanted`: 0 is the platform itself, more is further from it, undefined never. */
export function distance(wanted: Platform, offered: Platform): number | undefined {
  const want = normalize(wanted)
  const offer = normalize(offered)
  if (want.os !== offer.os) return undefined
  if (want.architecture === offer.architecture) return variantDistance(want.variant, offer.variant)
  if (want.architecture === 'amd64' && offer.architecture === '386') return 100
  if (want.architecture !== 'arm64' || offer.architecture !== 'arm') return undefined
  const further = variantDistance('v8', offer.variant)
  return further === undefined ? undefined : 100 + further
}

/** A processor runs what is made for those before it, never for those after. */
function variantDistance(wanted: string, offered: string): number | undefined {
  if (wanted === offered) return 0
  const [want, offer] = [wanted, offered].map((variant) => Number(/^v(\d+)/.exec(variant)?.[1] ?? Number.NaN))
  if (want === undefined || offer === undefined || Number.isNaN(want) || Number.isNaN(offer)) return undefined
  return offer < want ? want - offer : undefined
}

/** The one that suits best; of equals the first. What is no image (attestations) has a platform nobody wants. */
export function chooseManifest(manifests: readonly Descriptor[], wanted: Platform): Descriptor | undefined {
  let best: { descriptor: Descriptor; distance: number } | undefined
  for (const descriptor of manifests) {
    if (descriptor.platform === undefined || descriptor.platform === null) continue
    const far = distance(wanted, descriptor.platform)
    if (far !== undefined && (best === undefined || far < best.distance)) best = { descriptor, distance: far }
  }
  return best?.descriptor
}
