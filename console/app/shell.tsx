// What is around every page: navigation, the project, who is logged in, the theme.
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { SessionObject } from '../api/types.ts'
import { Icon } from '../parts/icon.tsx'
import { pagesFor } from './pages.ts'
import { useProject } from './projects.tsx'
import { SearchButton } from './search/search-button.tsx'
import { useLogOut } from './session.ts'
import { ThemeChoice } from './theme-choice.tsx'

export function Shell({ session, children }: { session: SessionObject; children: ReactNode }) {
  const [location] = useLocation()
  const [isOpen, setIsOpen] = useState(false)
  const main = useRef<HTMLElement>(null)
  const title = pagesFor(session).find(({ path }) => path === location)?.title ?? 'Not found'
  useEffect(() => {
    document.title = `${title} · Atoll`
    setIsOpen(false)
  }, [title])
  return (
    <div className="shell">
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        Skip to the page
      </button>
      <header className="bar">
        <button
          type="button"
          className="quiet menu-button"
          aria-expanded={isOpen}
          aria-controls="side"
          onClick={() => setIsOpen(!isOpen)}
        >
          <Icon name="menu" /> <span className="visually-hidden">Menu</span>
        </button>
        <strong>{title}</strong>
      </header>
      <div id="side" className={isOpen ? 'side open' : 'side'}>
        <p className="brand">
          <Icon name="atoll" /> Atoll
        </p>
        <SearchButton />
        <ProjectChoice />
        <Navigation location={location} session={session} />
        <Foot session={session} />
      </div>
      <main id="main" ref={main} tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

function ProjectChoice() {
  const { project, projects, choose } = useProject()
  return (
    <label className="project-choice">
      <span>Project</span>
      <select value={project.id} onChange={(event) => choose(event.target.value)}>
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

function Navigation({ location, session }: { location: string; session: SessionObject }) {
  const nav = useRef<HTMLElement>(null)
  // On a low screen the list scrolls: where one is stays in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another entry
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [location])
  const groups = Map.groupBy(pagesFor(session), ({ group }) => group)
  return (
    <nav aria-label="Pages" ref={nav}>
      {[...groups].map(([group, entries]) => (
        <div key={group} className="nav-group">
          {group !== '' && <h2>{group}</h2>}
          <ul>
            {entries.map(({ path, title, icon }) => (
              <li key={path}>
                <Link href={path} aria-current={path === location ? 'page' : undefined}>
                  <Icon name={icon} /> {title}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <div className="nav-group">
        <ul>
          <li>
            <a href="/docs" target="_blank" rel="noreferrer">
              <Icon name="book" /> API docs
            </a>
          </li>
        </ul>
      </div>
    </nav>
  )
}

function Foot({ session: { user, organization } }: { session: SessionObject }) {
  const logOut = useLogOut()
  return (
    <footer className="foot">
      <ThemeChoice />
      <p className="who">
        <span title={user.email}>{user.name}</span> · {organization.name}
      </p>
      <button type="button" className="quiet" onClick={() => logOut.mutate()} disabled={logOut.isPending}>
        Log out
      </button>
    </footer>
  )
}
