import { type FormEvent, useId, useState } from 'react'
import { messageOf } from '../api/api-error.ts'
import { useLogIn } from '../app/session.ts'
import { CodeBlock } from '../parts/code-block.tsx'
import { Icon } from '../parts/icon.tsx'

/** `problem`: why the link that brought them here does not help. */
export function LoginPage({ problem }: { problem?: string }) {
  const [key, setKey] = useState('')
  const logIn = useLogIn()
  const id = useId()
  const wrong = logIn.error === null ? problem : messageOf(logIn.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    logIn.mutate({ key: key.trim() })
  }
  return (
    <main className="login">
      <h1>
        <Icon name="atoll" /> Atoll
      </h1>
      <form onSubmit={submit} className="card">
        <label htmlFor={id}>Admin key, or your key of a project</label>
        <input
          id={id}
          type="password"
          autoComplete="current-password"
          placeholder="sk-…"
          required
          maxLength={512}
          value={key}
          onChange={(event) => setKey(event.target.value)}
          aria-describedby={wrong === undefined ? undefined : `${id}-wrong`}
        />
        {wrong !== undefined && (
          <p className="wrong" role="alert" id={`${id}-wrong`}>
            {wrong}
          </p>
        )}
        <button type="submit" className="primary" disabled={logIn.isPending}>
          {logIn.isPending ? 'Logging in …' : 'Log in'}
        </button>
      </form>
      <p className="muted">No key at hand? On the machine where Atoll runs, this prints a link that logs you in:</p>
      <CodeBlock code="./atoll console" language="sh" />
    </main>
  )
}
