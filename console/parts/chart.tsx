// A chart of values over time, stacked where there are several. Drawn anew when the size or the theme changes.
import { useMemo } from 'react'
import UPlot from 'uplot'
import { axisOf, usePlot } from './use-plot.ts'

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
  const data = useMemo<UPlot.AlignedData>(() => [times, ...stacked(series)], [times, series])
  const place = usePlot(data, height, (element) => optionsOf(element, series, height))
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
  const axis = axisOf(element)
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
