// Small drawings beside words; they say nothing that the words do not.
const paths = {
  atoll: 'M12 3a9 9 0 1 1-7.8 4.5M3.5 10.5A9 9 0 0 1 8 4',
  home: 'M4 11 12 4l8 7M6 10v10h12V10',
  chat: 'M4 5h16v11H9l-5 4z',
  menu: 'M4 7h16M4 12h16M4 17h16',
  book: 'M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h11',
  key: 'M14 10a4 4 0 1 0-3.5 3.97L12 15.5h2v2h2v2h3v-3l-5-5z',
  chart: 'M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  search: 'M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM15.5 15.5 20 20',
  box: 'M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8',
  list: 'M9 6h11M9 12h11M9 18h11M4 6h1M4 12h1M4 18h1',
  people: 'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 19c.5-3 3-5 6-5s5.500 2 6 5M16 5a3 3 0 0 1 0 6M18 14c2 .7 3 2.500 3 5',
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name }: { name: IconName }) => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)
