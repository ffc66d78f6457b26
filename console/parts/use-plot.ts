// Keeps a drawing of uPlot in an element: drawn anew when the data or the theme changes, and as wide as its place.
import { type RefObject, useEffect, useRef } from 'react'
import UPlot from 'uplot'

export function usePlot(
  data: UPlot.AlignedData,
  height: number,
  optionsOf: (element: HTMLElement) => UPlot.Options,
): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null)
  const options = useRef(optionsOf)
  options.current = optionsOf
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    let drawn: UPlot | undefined
    const draw = () => {
      drawn?.destroy()
      drawn = new UPlot(options.current(element), data, element)
    }
    draw()
    const resized = new ResizeObserver(() => drawn?.setSize({ width: element.clientWidth, height }))
    resized.observe(element)
    const themed = new MutationObserver(draw)
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    const system = matchMedia('(prefers-color-scheme: dark)')
    system.addEventListener('change', draw)
    return () => {
      resized.disconnect()
      themed.disconnect()
      system.removeEventListener('change', draw)
      drawn?.destroy()
    }
  }, [data, height])
  return place
}

/** Axes in the colours of the place. */
export function axisOf(element: HTMLElement) {
  const style = getComputedStyle(element)
  return { stroke: style.getPropertyValue('color'), grid: { stroke: style.borderColor, width: 1 } }
}
