// Curves over numbered steps, such as the losses of a training, or over times.
import { useMemo } from 'react'
import type UPlot from 'uplot'
import { colourOf } from './chart.tsx'
import { axisOf, usePlot } from './use-plot.ts'

interface Curve {
  name: string
  /** One for each step; null where there is none. */
  values: (number | null)[]
}

interface Props {
  /** What it shows, for those who cannot see it. */
  label: string
  steps: number[]
  curves: Curve[]
  /** Steps are seconds since 1970. */
  areTimes?: boolean
  height?: number
}

export function LineChart({ label, steps, curves, areTimes = false, height = 220 }: Props) {
  const data = useMemo<UPlot.AlignedData>(() => [steps, ...curves.map(({ values }) => values)], [steps, curves])
  const place = usePlot(data, height, (element) => optionsOf(element, curves, { areTimes, height }))
  return (
    <>
      <div ref={place} className="chart" role="img" aria-label={label} />
      <ul className="legend">
        {curves.map(({ name }, index) => (
          <li key={name}>
            <span style={{ background: colourOf(index) }} /> {name}
          </li>
        ))}
      </ul>
    </>
  )
}

const optionsOf = (
  element: HTMLElement,
  curves: Curve[],
  { areTimes, height }: { areTimes: boolean; height: number },
): UPlot.Options => ({
  width: element.clientWidth,
  height,
  legend: { show: false },
  cursor: { show: false },
  scales: { x: { time: areTimes }, ...(areTimes ? { y: { range: (_, _least, most) => [0, most * 1.1] } } : {}) },
  axes: [axisOf(element), { ...axisOf(element), size: 56 }],
  series: [
    {},
    ...curves.map(({ name }, index) => ({ label: name, stroke: colourOf(index), width: 2, spanGaps: true })),
  ],
})
