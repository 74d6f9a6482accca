package learning

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

// trainTime is how long an evaluation may take.
const trainTime = 5 * time.Minute

// report is an evaluation, as the trainer tells it.
type report struct {
	Who, On               string
	Episodes              int
	Success               float64
	Low                   float64 `json:"success_low"`
	High                  float64 `json:"success_high"`
	Return, Merit, Unsafe float64
	Error                 float64 `json:"return_error"`
	Foreign               float64
}

// training is what the trainer does, or did in a run.
type training struct {
	State, Run, Task, Algorithm, Model, Message string
	Consent                                     string
	Episode, Episodes                           int
	Success                                     float64 `json:"success_rate"`
	Reward, Human, Unsafe                       float64
	BestAt                                      int `json:"best_episode"`
	Best, Classical                             *report
	Speed                                       float64 `json:"steps_per_s"`
	Left                                        float64 `json:"left_s"`
}

func (a commands) trainCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "train",
		Short: "Let the robot practise a task in simulation: start, status, stop, evaluate, compare",
		Long: `train lets the robot practise in a simulation that runs as fast as the processor allows, while the robot itself goes on as
before: training only gets the processor time that nobody else wants, and stands still while somebody speaks to the robot.
What you say meanwhile (reachyctl feedback) counts. The reward is task + human + safety, weighted.

Every 10 episodes the policy is updated, every 50 it is tried on episodes that training never has, and kept when it is the best
so far. A run goes on after a crash or a restart, to the same curve. Runs stay until they are deleted from the data directory.`,
		Example: "  reachyctl train start --task look_at_thing\n  reachyctl train status\n  reachyctl train evaluate --held-out",
		Args:    cli.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(a.trainStartCommand(), a.trainSimpleCommand("status", "Show what is being practised, and how it goes",
		"status prints the run, its episode, success rate, average reward, best checkpoint, speed and the time that is left."),
		a.trainSimpleCommand("stop", "Stop practising; the run can be gone on with",
			"stop ends the worker after its last checkpoint; train start --run goes on from there to the same curve."), a.trainListCommand(), a.trainEvaluateCommand(),
		a.trainConsentCommand(),
		a.trainCompareCommand())
	return c
}

func (a commands) trainStartCommand() *cobra.Command {
	var task, algorithm, model, person, run, fromDemo, imitate string
	var episodes, seed int
	var onRobot bool
	c := &cobra.Command{
		Use:   "start",
		Short: "Begin to practise a task, or go on with a run",
		Long: `start begins a run. Tasks: look_at_thing, follow, look_at_speaker, reach_pose, greet. Algorithms: ppo, sac. The simulated robot is
the plain servo model (simple) or MuJoCo (mujoco: a hundred times slower). The same seed gives the same run.

With --on-robot the robot itself practises reach_pose: it moves its head, at most 55° a second. It asks first, aloud and here, and moves
only when somebody says yes within a minute; that is for this run and an hour at most. Any stop ends it and counts as -1. Another command
takes the robot over for as long as it lasts.`,
		Example: "  reachyctl train start --task follow --episodes 2000\n  reachyctl train start --run follow-1",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			args := given(map[string]any{
				"action": "start", "task": task, "algorithm": algorithm, "model": model, "person": person, "run": run,
				"episodes": episodes, "seed": seed, "on_robot": onRobot, "from_demo": fromDemo, "imitate": imitate,
			})
			if onRobot {
				return a.trainOnRobot(cmd, args)
			}
			return a.trained(cmd, args)
		},
	}
	f := c.Flags()
	f.StringVar(&task, "task", "", "what is practised (default look_at_thing)")
	f.StringVar(&algorithm, "algorithm", "", "ppo or sac (default ppo)")
	f.StringVar(&model, "model", "", "which simulated robot: simple or mujoco (default simple)")
	f.StringVar(&person, "person", "", "none, or simulated: somebody who judges every third episode (default none)")
	f.StringVar(&run, "run", "", "go on with this `run`")
	f.IntVar(&episodes, "episodes", 0, "how many episodes (default 1000)")
	f.IntVar(&seed, "seed", 0, "of all randomness")
	f.StringVar(&fromDemo, "from-demo", "", "begin with what was shown in the demonstrations of this `name` or task (reach_pose)")
	f.StringVar(&imitate, "imitate", "", "how what was shown is taken over: clone or gail (default clone)")
	f.BoolVar(&onRobot, "on-robot", false, "on the robot itself, which moves: a person must agree each time")
	return c
}

// given leaves out what was not given.
func given(args map[string]any) map[string]any {
	for name, v := range args {
		switch v {
		case "", 0, false:
			delete(args, name)
		}
	}
	return args
}

func (a commands) trainSimpleCommand(action, short, long string) *cobra.Command {
	return &cobra.Command{
		Use: action, Short: short, Long: long, Args: cli.NoArgs,
		Example: "  reachyctl train " + action,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.trained(cmd, map[string]any{"action": action})
		},
	}
}

// trained asks the trainer and prints what it does.
func (a commands) trained(cmd *cobra.Command, args map[string]any) error {
	s, err := connect.Read[training](cmd.Context(), a.App, "train", args, a.Wait(trainTime), "a status of training")
	if err != nil || a.JSON {
		return err
	}
	a.printTraining(s)
	return nil
}

func (a commands) printTraining(s *training) {
	if s.Run == "" && s.Message != "" {
		a.Printf("%s: %s\n", s.State, cli.Printable(s.Message))
		return
	}
	if s.Run == "" {
		a.Printf("Nothing is being practised.\n")
		return
	}
	a.Printf("%s: %s with %s, run %s\n", s.State, s.Task, s.Algorithm, s.Run)
	if s.Message != "" {
		a.Printf("%s\n", cli.Printable(s.Message))
	}
	a.Printf("episode %d of %d; %.0f %% of the last 50 succeeded, reward %.2f, people %+.2f, unsafe actions %.2f %%\n",
		s.Episode, s.Episodes, 100*s.Success, s.Reward, s.Human, 100*s.Unsafe)
	if s.Best != nil {
		a.Printf("best after episode %d: %s\n", s.BestAt, s.Best.words())
	}
	if s.Classical != nil {
		a.Printf("what the robot does without: %s\n", s.Classical.words())
	}
	if s.State == "training" || s.State == "paused" {
		a.Printf("%.0f steps a second, %v left\n", s.Speed, time.Duration(s.Left*float64(time.Second)).Round(time.Second))
	}
}

func (r *report) words() string {
	return fmt.Sprintf("success %.0f %% (%.0f…%.0f with 95 %% confidence, %d episodes), reward %.2f ± %.2f, merit %.2f",
		100*r.Success, 100*r.Low, 100*r.High, r.Episodes, r.Return, r.Error, r.Merit)
}

func (a commands) trainListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List all runs", Args: cli.NoArgs, Example: "  reachyctl train list",
		Long: "list prints every run with its task, its state and its best success rate.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := connect.Read[struct{ Runs []training }](cmd.Context(), a.App, "train", map[string]any{"action": "list"}, a.Wait(trainTime), "a list of runs")
			if err != nil || a.JSON {
				return err
			}
			if len(list.Runs) == 0 {
				a.Printf("Nothing has been practised yet.\n")
				return nil
			}
			t := a.Table()
			t.Row("run", "task", "algorithm", "state", "episodes", "best success", "reward")
			for _, s := range list.Runs {
				success, reward := "-", "-"
				if s.Best != nil {
					success, reward = fmt.Sprintf("%.0f %%", 100*s.Best.Success), fmt.Sprintf("%.2f", s.Best.Return)
				}
				t.Row(s.Run, s.Task, s.Algorithm, s.State, fmt.Sprintf("%d of %d", s.Episode, s.Episodes), success, reward)
			}
			return t.Flush()
		},
	}
}

// evaluation is a policy and what the robot does without it, on the same episodes.
type evaluation struct {
	Run, Unit          string
	Learned, Classical report
}

func (a commands) printEvaluation(e *evaluation) {
	a.Printf("%s on %s, %d episodes:\n", e.Run, e.Learned.On, e.Learned.Episodes)
	t := a.Table()
	t.Row("", "success", "95 % confidence", "reward", "merit ("+e.Unit+")", "unsafe", "unknown to it")
	for _, r := range []report{e.Learned, e.Classical} {
		t.Row(r.Who, fmt.Sprintf("%.1f %%", 100*r.Success), fmt.Sprintf("%.1f…%.1f %%", 100*r.Low, 100*r.High),
			fmt.Sprintf("%.2f ± %.2f", r.Return, r.Error), fmt.Sprintf("%.3f", r.Merit), fmt.Sprintf("%.2f %%", 100*r.Unsafe),
			fmt.Sprintf("%.2f %%", 100*r.Foreign))
	}
	_ = t.Flush() // standard output is gone
}

func (a commands) trainEvaluateCommand() *cobra.Command {
	var run, model string
	var tries int
	var heldOut bool
	c := &cobra.Command{
		Use:   "evaluate",
		Short: "Try the best policy of a run against what the robot does without it",
		Long: `evaluate tries the best policy of a run, and what the robot does today, on the same episodes, which training never had. Where an
observation is nothing like what training has shown, the classical solution acts; "unknown to it" counts that.`,
		Example: "  reachyctl train evaluate\n  reachyctl train evaluate --run follow-1 --held-out --tries 500 --model mujoco",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			args := given(map[string]any{"action": "evaluate", "run": run, "tries": tries, "held_out": heldOut, "model": model})
			e, err := connect.Read[evaluation](cmd.Context(), a.App, "train", args, a.Wait(trainTime), "an evaluation")
			if err != nil || a.JSON {
				return err
			}
			a.printEvaluation(e)
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&run, "run", "", "the `run` (default: the latest)")
	f.StringVar(&model, "model", "", "on another simulated robot: simple or mujoco")
	f.IntVar(&tries, "tries", 0, "how many episodes (default 200)")
	f.BoolVar(&heldOut, "held-out", false, "with things and places that training never showed")
	return c
}

func (a commands) trainCompareCommand() *cobra.Command {
	var tries int
	var heldOut bool
	c := &cobra.Command{
		Use:     "compare RUN OTHER",
		Short:   "Try two runs on the same episodes",
		Long:    "compare lets the best policies of two runs do the same episodes, and prints both rates with their confidence intervals.",
		Example: "  reachyctl train compare follow-1 follow-2 --tries 500",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, names []string) error {
			args := given(map[string]any{"action": "compare", "run": names[0], "other": names[1], "tries": tries, "held_out": heldOut})
			r, err := connect.Ask(cmd.Context(), a.App, "train", args, a.Wait(trainTime))
			if err != nil || a.JSON {
				return err
			}
			var both struct {
				Runs        []training
				Evaluations []evaluation
			}
			if err := json.Unmarshal(r.Result, &both); err != nil {
				return cli.Malformed("a comparison", r.Raw, err)
			}
			for i := range both.Evaluations {
				a.printEvaluation(&both.Evaluations[i])
			}
			return nil
		},
	}
	c.Flags().IntVar(&tries, "tries", 0, "how many episodes (default 200)")
	c.Flags().BoolVar(&heldOut, "held-out", false, "with things and places that training never showed")
	return c
}
