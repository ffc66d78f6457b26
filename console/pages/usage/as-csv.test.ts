import { expect, it } from 'vitest'
import { asCsv } from './as-csv.ts'

it('writes rows that a spreadsheet reads as they are, and takes no name for a formula', () => {
  const series = [
    { name: 'a,"b"', values: [1, 2.5] },
    { name: '=HYPERLINK("x")', values: [0, 3] },
  ]
  expect(asCsv({ times: [0, 86_400], series }).split('\r\n')).toEqual([
    'time,name,value',
    '1970-01-01T00:00:00.000Z,"a,""b""",1',
    '1970-01-02T00:00:00.000Z,"a,""b""",2.5',
    `1970-01-01T00:00:00.000Z,"'=HYPERLINK(""x"")",0`,
    `1970-01-02T00:00:00.000Z,"'=HYPERLINK(""x"")",3`,
  ])
})
