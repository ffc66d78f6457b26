// Curves over numbered steps, such as the losses of a training.
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
  height?: number
}

export function LineChart({ label, steps, curves, height = 220 }: Props) {
  const data = useMemo<UPlot.AlignedData>(() => [steps, ...curves.map(({ values }) => values)], [steps, curves])
  const place = usePlot(data, height, (element) => optionsOf(element, curves, height))
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

const optionsOf = (element: HTMLElement, curves: Curve[], height: number): UPlot.Options => ({
  width: element.clientWidth,
  height,
  legend: { show: false },
  cursor: { show: false },
  scales: { x: { time: false } },
  axes: [axisOf(element), { ...axisOf(element), size: 56 }],
  series: [
    {},
    ...curves.map(({ name }, index) => ({ label: name, stroke: colourOf(index), width: 2, spanGaps: true })),
  ],
})
