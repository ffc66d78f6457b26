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
  folder: 'M3 6h6l2 2h10v11H3z',
  gauge: 'M4 18a9 9 0 1 1 16 0M12 14l4-5',
  chip: 'M7 7h10v10H7zM9 3v4M15 3v4M9 17v4M15 17v4M3 9h4M3 15h4M17 9h4M17 15h4',
  layers: 'M12 4l9 5-9 5-9-5zM3 14l9 5 9-5',
  archive: 'M4 5h16v4H4zM6 9v11h12V9M10 13h4',
  curve: 'M4 4v16h16M7 7c2 8 5 10 12 10',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 20c1-4 4-6 8-6s7 2 8 6',
  sound: 'M4 10v4h4l5 4V6L8 10zM16 9a4 4 0 0 1 0 6M18 6a8 8 0 0 1 0 12',
  microphone: 'M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3zM6 11a6 6 0 0 0 12 0M12 17v4M9 21h6',
  cog: 'M12 9a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM12 3v3M12 18v3M3 12h3M18 12h3M6 6l2 2M16 16l2 2M18 6l-2 2M8 16l-2 2',
  hook: 'M12 3v9a4 4 0 1 1-4-4M12 3h4M12 3H8',
  database:
    'M5 6c0-1.700 3-3 7-3s7 1.300 7 3-3 3-7 3-7-1.300-7-3zM5 6v12c0 1.700 3 3 7 3s7-1.300 7-3V6M5 12c0 1.700 3 3 7 3s7-1.300 7-3',
  list: 'M9 6h11M9 12h11M9 18h11M4 6h1M4 12h1M4 18h1',
  people: 'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 19c.5-3 3-5 6-5s5.500 2 6 5M16 5a3 3 0 0 1 0 6M18 14c2 .7 3 2.500 3 5',
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name }: { name: IconName }) => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)
