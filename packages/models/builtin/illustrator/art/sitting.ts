// Bodies for animals of which the icon sets have the head alone: they sit and look at the viewer.
import type { PictureStyle } from '../../../draw.ts'
import { Brush } from './brush.ts'
import { blend } from './colour.ts'

interface Coat {
  fur: string
  belly: string
  paws: string
  tail: string | undefined
}

const coats: Record<string, Coat> = {
  fox: { fur: '#ff822d', belly: '#ffdea7', paws: '#452f2a', tail: 'bushy' },
  wolf: { fur: '#9b9b9b', belly: '#d3d3d3', paws: '#7b7b7b', tail: 'bushy' },
  bear: { fur: '#a56953', belly: '#d39f82', paws: '#7d4533', tail: undefined },
  'polar-bear': { fur: '#f4f4f4', belly: '#ffffff', paws: '#d3d3d3', tail: undefined },
  panda: { fur: '#f4f4f4', belly: '#ffffff', paws: '#2d2144', tail: undefined },
  koala: { fur: '#9b9b9b', belly: '#e6e6e6', paws: '#7b7b7b', tail: undefined },
  raccoon: { fur: '#8d8d93', belly: '#d3d3d3', paws: '#4a4a52', tail: 'ringed' },
  lion: { fur: '#ffb02e', belly: '#f3c98b', paws: '#e39d2c', tail: 'tufted' },
  frog: { fur: '#00d26a', belly: '#ffe9a3', paws: '#0fa352', tail: undefined },
  hamster: { fur: '#f9a35b', belly: '#ffe3c4', paws: '#f7b9a0', tail: undefined },
}

const box = { width: 40, height: 50 }

/** `head` is the icon's own content, 32 by 32. */
export function sitting(
  name: string,
  head: string,
  style: PictureStyle,
): { svg: string; width: number; height: number } | undefined {
  const coat = coats[name]
  if (coat === undefined) return undefined
  const brush = new Brush(style)
  const fur = brush.fill(coat.fur)
  const limbs = brush.fill(name === 'panda' ? coat.paws : blend(coat.fur, '#2a1030', 0.1))
  const parts = [
    tail(coat, brush),
    `<path d="M20 24c8 0 11 9 12 16 .8 6-3 10-12 10S7.2 46 8 40c1-7 4-16 12-16z" fill="${fur}"/>`,
    `<ellipse cx="20" cy="39.5" rx="7" ry="9" fill="${brush.fill(coat.belly)}"/>`,
    `<path d="M12 32q-3 6-2.5 14h6Q15 38 16 33zM28 32q3 6 2.5 14h-6Q25 38 24 33z" fill="${limbs}"/>`,
    `<ellipse cx="12" cy="47.3" rx="4.6" ry="2.7" fill="${brush.fill(coat.paws)}"/><ellipse cx="28" cy="47.3" rx="4.6" ry="2.7" fill="${brush.fill(coat.paws)}"/>`,
    `<svg x="5" y="0" width="30" height="30" viewBox="0 0 32 32">${head}</svg>`,
  ]
  return {
    svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${box.width} ${box.height}">${brush.defs()}${parts.join('')}</svg>`,
    ...box,
  }
}

function tail({ fur, belly, paws, tail: kind }: Coat, brush: Brush): string {
  if (kind === undefined) return ''
  if (kind === 'tufted') {
    return `<path d="M29 46q8 1 7.5-8" fill="none" stroke="${fur}" stroke-width="2.6" stroke-linecap="round"/><circle cx="36.3" cy="36" r="3" fill="#6d4534"/>`
  }
  const shape = 'M27 48c8 2 13-4 12.5-11-.3-4-3-6-5-3.5-1.5 2 .5 5-1.5 8-1.5 2.2-4 3-6 3z'
  const end = kind === 'ringed' ? paws : belly
  return `<path d="${shape}" fill="${brush.fill(fur)}"/><path d="M39.5 37c-.3-4-3-6-5-3.5-.8 1-.7 2.3-.4 3.7q3 1.5 5.4-.2z" fill="${end}"/>`
}
