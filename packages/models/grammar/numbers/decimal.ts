// Exact decimal fractions: what a JSON number says, which a double only comes near.

/** `units` times ten to the power of minus `scale`. */
export interface Decimal {
  units: bigint
  scale: number
}

export function decimal(value: number): Decimal {
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  const scale = fraction.length - Number(exponent)
  const units = BigInt(`${sign}${whole}${fraction}`)
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 }
}

export const negate = ({ units, scale }: Decimal): Decimal => ({ units: -units, scale })

/** In units of ten to the power of minus `scale`, rounded down. */
export function floorTo({ units, scale }: Decimal, target: number): bigint {
  if (target >= scale) return units * 10n ** BigInt(target - scale)
  const divisor = 10n ** BigInt(scale - target)
  const quotient = units / divisor
  return units < 0n && quotient * divisor !== units ? quotient - 1n : quotient
}

export const ceilTo = (value: Decimal, target: number): bigint => -floorTo(negate(value), target)

/** The smallest decimal that both divide. */
export function leastCommonMultiple(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale)
  const a = floorTo(left, scale)
  const b = floorTo(right, scale)
  return reduced({ units: (a * b) / greatestCommonDivisor(a, b), scale })
}

const greatestCommonDivisor = (a: bigint, b: bigint): bigint => (b === 0n ? a : greatestCommonDivisor(b, a % b))

function reduced({ units, scale }: Decimal): Decimal {
  return scale > 0 && units % 10n === 0n ? reduced({ units: units / 10n, scale: scale - 1 }) : { units, scale }
}
