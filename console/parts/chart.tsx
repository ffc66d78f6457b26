// A chart of values over time, stacked where there are several. Drawn anew when the size or the theme changes.
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'

interface Series {
  name: string
  /** One for each time; all series have the same length. */
  values: number[]
}

interface Props {
  /** What it shows, for those who cannot see it. */
  label: string
  /** Seconds since 1970. */
  times: number[]
  series: Series[]
  height?: number
}

const colours = ['#2a8fb3', '#d98324', '#5aa454', '#b35fa5', '#8a7b3f', '#6b7fd7', '#c7574f', '#4fae9e']

export const colourOf = (index: number): string => colours[index % colours.length] ?? '#2a8fb3'

export function Chart({ label, times, series, height = 200 }: Props) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    let drawn: UPlot | undefined
    const draw = () => {
      drawn?.destroy()
      drawn = new UPlot(optionsOf(element, series, height), [times, ...stacked(series)], element)
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
  }, [times, series, height])
  return <div ref={place} className="chart" role="img" aria-label={label} />
}

/** The topmost first: each is drawn over the one that holds it and all below. */
function stacked(series: Series[]): number[][] {
  const sums: number[][] = []
  for (const { values } of series) {
    const below = sums.at(-1)
    sums.push(values.map((value, index) => value + (below?.[index] ?? 0)))
  }
  return sums.reverse()
}

function optionsOf(element: HTMLElement, series: Series[], height: number): UPlot.Options {
  const style = getComputedStyle(element)
  const axis = { stroke: style.getPropertyValue('color'), grid: { stroke: style.borderColor, width: 1 } }
  const bars = UPlot.paths.bars?.({ size: [0.8, 40] })
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_, _least, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [axis, { ...axis, size: 56, values: (_, marks) => marks.map(shortNumber) }],
    series: [
      {},
      ...series
        .map(({ name }, index) => ({
          label: name,
          fill: colourOf(index),
          stroke: colourOf(index),
          width: 0,
          points: { show: false },
          ...(bars === undefined ? {} : { paths: bars }),
        }))
        .reverse(),
    ],
  }
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
export const shortNumber = (value: number): string => compact.format(value)
