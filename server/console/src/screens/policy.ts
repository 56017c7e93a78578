// Is trading allowed, and what is close to a limit. Limits are changed here with an operator's key.

import {
  ask,
  type Asset,
  type Audit,
  type Decisions,
  Failure,
  type KillSwitch,
  type Policy,
  type PolicyRules,
  type WalletReport,
} from "../api";
import { fill, h, setText } from "../dom";
import { type Draft, applied, differing, emptyDraft, rebased } from "../limits/draft";
import { LimitsForm } from "../limits/form";
import { killSwitch, onSwitch, takeSwitch } from "../limits/killswitch";
import { SwitchCard } from "../limits/switchcard";
import { Trial } from "../limits/trial";
import { largestOrder, type Use, usesOf } from "../limits/uses";
import type { Context, Poll, Screen } from "../screen";
import { Answer, inputsOf } from "../store";
import { isWallet } from "../walletaddress";
import { demoWallets, remember } from "../wallets";
import { addressField, type AddressField, everyone } from "./addressfield";
import { agesLine, Stage } from "./parts";
import { auditCard, conflictCard, keyCard } from "./policyview";

const readEvery = 3000, // ms
  monitorEvery = 3000,
  logEvery = 15_000;
const walletGoneMs = 15_000,
  marketSoftMs = 1500;

const drafts = new Map<string, { base: Policy; draft: Draft }>(); // changes that are not saved, by wallet

export const policy: Screen = {
  name: "policy",
  title: "Policy",
  mount(root, ctx) {
    const screen = new PolicyScreen(root, ctx);
    return () => screen.end();
  },
};

const path = (wallet: string) => "/v1/policy/" + wallet;

class PolicyScreen {
  private readonly answer = new Answer<Policy>();
  private readonly report = new Answer<WalletReport>(walletGoneMs);
  private readonly stage: Stage<Policy>;
  private readonly switchCard: SwitchCard;
  private readonly form = new LimitsForm(() => this.edited());
  private readonly field: AddressField;
  private readonly revision = h("span", { class: "tag" });
  private readonly ages = h("span", { class: "small t2" });
  private readonly said = h("p", { class: "small grow right saidline", role: "status" });
  private readonly discardButton = h(
    "button",
    { type: "button", class: "button", click: () => this.discard() },
    "Discard",
  );
  private readonly saveButton = h("button", { type: "submit", class: "button main" }, "Save");
  private readonly conflict = h("div");
  private readonly trial = new Trial();
  private readonly auditList = h("div");
  private audit: Audit | null = null; // null: not read, or not with this key
  private auditRows = 4;
  private readonly keyNote = h("div");
  private wallet = "";
  private base: Policy | null = null;
  private theirs: Policy | null = null; // what somebody else has saved meanwhile
  private everyones: Policy | null = null;
  private draft = emptyDraft();
  private saving = false;
  private saves = 0;
  private order: Use | null = null; // the largest one that was sent today
  private missing = ""; // why the wallet's use is not known
  private polls: Poll[] = [];
  private readonly unlisten: () => void;

  constructor(
    root: HTMLElement,
    private readonly ctx: Context,
  ) {
    this.switchCard = new SwitchCard((s) => ctx.say(s));
    this.field = addressField(
      {
        id: "policy-wallet",
        label: "Whose limits",
        placeholder: "0x…, or all wallets",
        class: "mono low",
        name: "policyfield",
        about: "holds beside the limits of each wallet",
      },
      demoWallets(),
      (w) => {
        ctx.setParams({ w: w === everyone ? null : w });
        this.show(w);
      },
    );
    const body = h("div", { class: "grid" });
    this.stage = new Stage(ctx, this.answer, body, "the limits");
    fill(
      body,
      this.switchCard.element,
      this.conflict,
      h(
        "div",
        { class: "policycolumns" },
        this.limitsCard(),
        h("div", { class: "grid" }, this.trial.element, this.auditList, this.keyNote),
      ),
    );
    fill(root, h("h1", { class: "off" }, "Policy and kill switch"), this.stage.element);
    this.unlisten = onSwitch(() => this.draw());
    ctx.onTick(() => this.draw());
    ctx.onParams(() => this.show(this.fromAddress()));
    ctx.keys({ "/": () => this.field.list(), r: () => this.polls.forEach((p) => p.now()) });
    void ask<{ assets: Asset[] }>("/v1/assets").then(
      ({ assets }) => this.form.list(assets.map((a) => a.name)),
      () => {},
    );
    this.show(this.fromAddress());
  }

  private limitsCard(): HTMLElement {
    return h(
      "form",
      {
        class: "card limitscard",
        novalidate: true,
        "aria-label": "Limits",
        submit: (e: Event) => {
          e.preventDefault();
          void this.save();
        },
      },
      h(
        "div",
        { class: "row wrap limitshead" },
        h("h2", {}, h("label", { for: "policy-wallet" }, "Limits of")),
        this.field.element,
        this.revision,
        this.ages,
        this.said,
        h("span", { class: "row limitacts" }, this.discardButton, this.saveButton),
      ),
      this.form.element,
    );
  }

  private fromAddress(): string {
    const w = (this.ctx.params().get("w") ?? "").toLowerCase();
    return isWallet(w) ? w : everyone;
  }

  end() {
    this.keep();
    this.trial.end();
    this.unlisten();
    this.stage.end();
  }

  /** Keeps changes that are not saved until the page is closed. */
  private keep() {
    if (this.base === null) return;
    if (this.changed()) drafts.set(this.wallet, { base: this.base, draft: this.draft });
    else drafts.delete(this.wallet);
  }

  /** Shows the policy of another wallet. */
  private show(wallet: string) {
    if (wallet === this.wallet) return;
    this.keep();
    for (const p of this.polls) p.stop();
    this.wallet = wallet;
    this.field.set(wallet);
    this.base = this.theirs = this.everyones = null;
    this.answer.clear();
    this.report.clear();
    this.missing = "";
    this.order = null;
    fill(this.conflict);
    setText(this.said, "");
    if (wallet !== everyone) remember(wallet);
    this.polls = [
      this.ctx.poll(
        readEvery,
        (signal) => this.read(wallet, signal),
        (f) => this.stage.failed(f),
      ),
    ];
    if (wallet !== everyone)
      this.polls.push(
        this.ctx.poll(
          monitorEvery,
          (signal) => this.monitor(wallet, signal),
          (f) => {
            this.missing = f instanceof Failure ? f.message : String(f);
            this.draw();
          },
        ),
        this.ctx.poll(
          logEvery,
          (signal) => this.readLog(wallet, signal),
          () => (this.order = null),
        ),
      );
    this.stage.show();
  }

  private async readLog(wallet: string, signal: AbortSignal) {
    const query = new URLSearchParams({
      wallet,
      verdict: "allowed",
      limit: "500",
      from: new Date().toISOString().slice(0, 10),
    });
    const { decisions } = await ask<Decisions>("/v1/decisions?" + query, { signal });
    if (wallet === this.wallet) this.order = largestOrder(decisions);
  }

  private async read(wallet: string, signal: AbortSignal) {
    const { saves } = this;
    const [own, all, turned] = await Promise.all([
      ask<Policy>(path(wallet), { signal }),
      wallet === everyone ? null : ask<Policy>(path(everyone), { signal }),
      ask<KillSwitch>("/v1/kill-switch", { signal }),
    ]);
    if (wallet !== this.wallet || saves !== this.saves) return; // read before the last save
    takeSwitch(turned);
    this.everyones = all;
    this.audit = own.may_change
      ? await ask<Audit>("/v1/audit?limit=" + this.auditRows, { signal }).catch(() => this.audit)
      : null;
    if (wallet !== this.wallet || saves !== this.saves) return;
    this.answer.set(own, [{ name: "limits", ageMs: 0, softMs: 2 * readEvery }]);
    const kept = drafts.get(wallet);
    if (this.base === null && kept) {
      drafts.delete(wallet);
      this.base = kept.base;
      this.load(kept.draft);
    }
    this.take(own);
    this.stage.arrived();
    this.draw();
  }

  private async monitor(wallet: string, signal: AbortSignal) {
    const report = await ask<WalletReport>(`/v1/monitor/${wallet}?survive=false`, { signal });
    if (wallet !== this.wallet) return;
    this.missing = "";
    this.report.set(report, inputsOf(report.meta, marketSoftMs));
    this.ctx.watch(this.report);
    this.draw();
  }

  /** Takes a policy as it was read: upon changes that are not saved, another one than theirs is a conflict. */
  private take(now: Policy) {
    if (this.base === null || !this.changed()) {
      const other = this.base?.revision !== now.revision || this.base.may_change !== now.may_change;
      this.base = now;
      this.theirs = null;
      if (other) this.load(emptyDraft());
    } else this.theirs = now.revision === this.base.revision ? null : now;
  }

  private load(draft: Draft) {
    this.draft = draft;
    this.form.load(this.base?.rules ?? {}, draft, !this.mayChange());
  }

  private mayChange = () => this.answer.value?.may_change === true;

  private mine(): ReturnType<typeof applied> {
    return applied(this.base?.rules ?? {}, this.draft);
  }

  private changed(): boolean {
    const { rules, faults } = this.mine();
    return Object.keys(faults).length > 0 || differing(this.base?.rules ?? {}, rules).length > 0;
  }

  private edited() {
    setText(this.said, "");
    this.draw();
  }

  private discard() {
    this.base = this.theirs ?? this.base;
    this.theirs = null;
    this.load(emptyDraft());
    this.edited();
  }

  /** Sets the changes upon what somebody else has saved. */
  private rebase() {
    if (!this.theirs || !this.base) return;
    const draft = rebased(this.base.rules ?? {}, this.mine().rules);
    this.base = this.theirs;
    this.theirs = null;
    this.load(draft);
    this.edited();
    this.saveButton.focus();
  }

  private async save() {
    if (!this.base || this.saving || !this.changed() || this.theirs) return;
    const { rules, faults } = this.mine(),
      wallet = this.wallet;
    if (Object.keys(faults).length > 0) return this.form.focusFault();
    this.saving = true;
    this.draw();
    try {
      const match = this.base.revision > 0 ? this.base.revision : undefined;
      const saved = await ask<Policy>(path(wallet), { method: "PUT", body: rules, match });
      if (wallet !== this.wallet) return;
      this.saves++;
      this.base = saved;
      this.answer.set(saved, [{ name: "limits", ageMs: 0, softMs: 2 * readEvery }]);
      this.load(emptyDraft());
      this.tell(`Saved as revision ${saved.revision}.`, "ok");
    } catch (cause) {
      if (wallet === this.wallet) await this.refused(cause);
    } finally {
      this.saving = false;
      this.draw();
    }
  }

  /** What stands there when the service has not saved. */
  private async refused(cause: unknown) {
    const text = cause instanceof Failure ? cause.message : String(cause);
    this.tell(text.replace(/\.?$/, "."), "stop");
    if (!(cause instanceof Failure) || (cause.status !== 412 && cause.status !== 428)) return;
    this.theirs = await ask<Policy>(path(this.wallet)).catch(() => null);
    if (this.theirs) this.tell("Not saved: somebody was faster.", "stop");
  }

  private tell(text: string, kind: string) {
    this.said.className = `small grow right saidline ${kind}`;
    setText(this.said, text);
    this.ctx.say(text);
  }

  private used(): string {
    if (this.wallet === everyone) return "choose a wallet to see what it uses";
    if (this.report.state() !== "gone") return "";
    return this.missing === "" ? "used now: not known yet" : `use not known: ${this.missing}`;
  }

  private draw() {
    const { base, wallet } = this,
      turned = killSwitch();
    if (turned) this.switchCard.update(turned, this.mayChange());
    if (!base || this.answer.state() === "gone") return;
    const { rules, faults } = this.mine(),
      changed = this.changed(),
      seen = this.report.state() === "gone" ? null : this.report.value;
    this.form.element.classList.toggle("old", this.report.state() === "stale");
    this.form.update({
      base: base.rules ?? {},
      rules,
      faults,
      everyones: this.everyones?.rules ?? {},
      uses: seen && { ...usesOf(seen), ...(this.order && { max_order_usd: this.order }) },
      used: this.used(),
    });
    setText(this.revision, base.revision === 0 ? "no policy yet" : `revision ${base.revision}`);
    fill(this.ages, seen ? agesLine(this.report, ["market", "wallet"]) : null);
    this.saveButton.hidden = this.discardButton.hidden = !this.mayChange();
    this.saveButton.disabled = !changed || this.saving || this.theirs !== null;
    this.discardButton.disabled = !changed || this.saving;
    const readable = Object.keys(faults).length === 0;
    this.trial.update(wallet, base.rules ?? {}, changed && readable && this.mayChange() ? rules : null);
    this.drawAround(base, rules);
  }

  private drawAround(base: Policy, rules: PolicyRules) {
    const { theirs } = this;
    const card =
      theirs &&
      conflictCard(
        base,
        theirs,
        rules,
        () => this.rebase(),
        () => this.discard(),
      );
    if (!card) fill(this.conflict);
    else if (this.conflict.dataset.revision !== `${theirs.revision}` || !this.conflict.firstChild)
      fill(this.conflict, card);
    this.conflict.dataset.revision = String(theirs?.revision ?? "");
    const more = () => {
      this.auditRows = 100;
      this.polls.forEach((p) => p.now());
    };
    const { audit } = this,
      rows = auditCard(audit?.events ?? null, this.mayChange(), audit?.next_cursor && this.auditRows < 100 ? more : null);
    if (this.auditList.textContent !== rows.textContent) fill(this.auditList, rows);
    const key = keyCard(this.mayChange());
    if (this.keyNote.textContent !== key.textContent) fill(this.keyNote, key);
  }
}
