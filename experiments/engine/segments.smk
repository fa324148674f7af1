# The jobs of one run in segments, from the plan.json that experiments/segments wrote into the working folder. flashloom itself knows
# which pieces exist, and makes no piece twice; the *.done files only record that a job succeeded.
import json
import os
import shlex

with open("plan.json", encoding="utf-8") as file:
    PLAN = json.load(file)
TIED = f"{shlex.quote(workflow.basedir)}/tied {os.getpid()}"  # ends a job when this process, which starts the jobs, ends


def step(name):
    return PLAN["command"].replace("{tied}", f"exec {TIED}", 1) + f" {name}"


rule all:
    input:
        "merge.done",
    default_target: True


rule the_pass:
    output:
        touch("pass.done"),
    log:
        "pass.log",
    params:
        command=step("pass"),
    resources:
        mem_mb=PLAN["memory_mb"],
        runtime=PLAN["minutes"],
    shell:
        "LOG=$PWD/{log}; {params.command} > $LOG 2>&1"


rule segment:
    input:
        "pass.done",
    output:
        touch("{number}.done"),
    wildcard_constraints:
        number=r"\d+",
    log:
        "{number}.log",
    params:
        command=lambda wildcards: step(wildcards.number),
    resources:
        mem_mb=PLAN["memory_mb"],
        runtime=PLAN["minutes"],
    shell:
        "LOG=$PWD/{log}; {params.command} > $LOG 2>&1"


rule merge:
    input:
        expand("{number}.done", number=range(1, PLAN["segments"] + 1)),
    output:
        touch("merge.done"),
    log:
        "merge.log",
    params:
        command=step("merge"),
    resources:
        mem_mb=PLAN["memory_mb"],
        runtime=PLAN["minutes"],
    shell:
        "LOG=$PWD/{log}; {params.command} > $LOG 2>&1"
