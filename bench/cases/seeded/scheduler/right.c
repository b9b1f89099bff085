/*
 * scheduler - simulates processes in queues of three priorities.
 *
 * Commands on standard input, one a line:
 *   add NAME PRIORITY TICKS   a new process at the end of its queue (priority 0 is the highest)
 *   run TICKS                 lets the processor work
 *   block NAME                takes a process out of its queue
 *   wake NAME                 puts it back, one priority higher
 *   nice NAME PRIORITY        moves it to another queue
 *   kill NAME                 ends it
 *   age                       lifts processes that have waited for long
 *   list                      shows the queues
 * A process that has used up its share goes to the end of the next lower queue.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRIORITIES 3
#define MAX_PROCESSES 40
#define NAME_LENGTH 12
#define LONG_WAIT 10

enum state { UNUSED, READY, BLOCKED, DONE };

struct process {
    char name[NAME_LENGTH];
    enum state state;
    int priority;
    int left;     /* ticks that it still needs */
    int used;     /* ticks of its present share */
    int waited;   /* ticks since it last ran */
    int started;  /* when it was added */
    struct process *next;
};

struct queue {
    struct process *head;
    struct process *tail;
    int length;
};

struct scheduler {
    struct process processes[MAX_PROCESSES];
    struct queue queues[PRIORITIES];
    int count;     /* slots that were ever used */
    int now;
    int idle;
    int finished;
    int turnaround;
};

static const int shares[PRIORITIES] = {2, 4, 8};

static int minimum(int a, int b)
{
    return a < b ? a : b;
}

static void queue_append(struct queue *queue, struct process *process)
{
    struct process **link = &queue->head;

    while (*link != NULL) {
        link = &(*link)->next;
    }
    process->next = NULL;
    *link = process;
    queue->tail = process;
    queue->length++;
}

static struct process *queue_pop(struct queue *queue)
{
    struct process *process = queue->head;

    if (process == NULL) {
        return NULL;
    }
    queue->head = process->next;
    if (queue->head == NULL) {
        queue->tail = NULL;
    }
    queue->length--;
    return process;
}

/* Takes a process out of the middle of a queue; gives 0 if it is not there. */
static int queue_remove(struct queue *queue, struct process *process)
{
    struct process *before = NULL;
    struct process *at = queue->head;

    while (at != NULL && at != process) {
        before = at;
        at = at->next;
    }
    if (at == NULL) {
        return 0;
    }
    if (before == NULL) {
        queue->head = process->next;
    } else {
        before->next = process->next;
    }
    if (queue->tail == process) {
        queue->tail = before;
    }
    queue->length--;
    return 1;
}

static struct process *find(struct scheduler *scheduler, const char *name)
{
    int i;

    for (i = 0; i < scheduler->count; i++) {
        struct process *process = &scheduler->processes[i];

        if (process->state != UNUSED && process->state != DONE
            && strcmp(process->name, name) == 0) {
            return process;
        }
    }
    return NULL;
}

static struct process *take_slot(struct scheduler *scheduler)
{
    if (scheduler->count == MAX_PROCESSES) {
        return NULL;
    }
    return &scheduler->processes[scheduler->count++];
}

static void enqueue(struct scheduler *scheduler, struct process *process, int priority)
{
    process->priority = priority;
    process->state = READY;
    process->used = 0;
    queue_append(&scheduler->queues[priority], process);
}

static void add(struct scheduler *scheduler, const char *name, int priority, int ticks)
{
    struct process *process;

    if (priority < 0 || priority >= PRIORITIES || ticks <= 0) {
        printf("%s: bad numbers\n", name);
        return;
    }
    if (strlen(name) >= NAME_LENGTH || find(scheduler, name) != NULL) {
        printf("%s: bad name\n", name);
        return;
    }
    process = take_slot(scheduler);
    if (process == NULL) {
        printf("%s: no room\n", name);
        return;
    }
    strcpy(process->name, name);
    process->left = ticks;
    process->waited = 0;
    process->started = scheduler->now;
    enqueue(scheduler, process, priority);
}

static void finish(struct scheduler *scheduler, struct process *process)
{
    int took = scheduler->now - process->started;

    process->state = DONE;
    scheduler->finished++;
    scheduler->turnaround += took;
    printf("%d: %s is done after %d\n", scheduler->now, process->name, took);
}

/* All that are ready wait while another one runs. */
static void let_wait(struct scheduler *scheduler, int ticks)
{
    int priority;
    struct process *process;

    for (priority = 0; priority < PRIORITIES; priority++) {
        for (process = scheduler->queues[priority].head; process; process = process->next) {
            process->waited += ticks;
        }
    }
}

static struct process *pick(struct scheduler *scheduler)
{
    int priority;

    for (priority = 0; priority < PRIORITIES; priority++) {
        if (scheduler->queues[priority].head != NULL) {
            return queue_pop(&scheduler->queues[priority]);
        }
    }
    return NULL;
}

/* Lets the next process use the rest of its share, or of `ticks`; gives how many it used. */
static int slice(struct scheduler *scheduler, int ticks)
{
    struct process *process = pick(scheduler);
    int used;

    if (process == NULL) {
        scheduler->idle += ticks;
        scheduler->now += ticks;
        return ticks;
    }
    used = minimum(shares[process->priority] - process->used, minimum(process->left, ticks));
    let_wait(scheduler, used);
    scheduler->now += used;
    process->waited = 0;
    process->used += used;
    process->left -= used;
    if (process->left == 0) {
        finish(scheduler, process);
    } else if (process->used >= shares[process->priority]) {
        enqueue(scheduler, process, minimum(process->priority + 1, PRIORITIES - 1));
    } else {
        int so_far = process->used;

        enqueue(scheduler, process, process->priority);
        process->used = so_far;
    }
    return used;
}

static void run(struct scheduler *scheduler, int ticks)
{
    while (ticks > 0) {
        ticks -= slice(scheduler, ticks);
    }
}

static void block(struct scheduler *scheduler, struct process *process)
{
    if (process->state == READY && queue_remove(&scheduler->queues[process->priority], process)) {
        process->state = BLOCKED;
    } else {
        printf("%s: not ready\n", process->name);
    }
}

static void wake(struct scheduler *scheduler, struct process *process)
{
    if (process->state != BLOCKED) {
        printf("%s: not blocked\n", process->name);
        return;
    }
    process->waited = 0;
    enqueue(scheduler, process, process->priority > 0 ? process->priority - 1 : 0);
}

static void renice(struct scheduler *scheduler, struct process *process, int priority)
{
    if (priority < 0 || priority >= PRIORITIES) {
        printf("%s: bad priority\n", process->name);
    } else if (process->state == READY) {
        queue_remove(&scheduler->queues[process->priority], process);
        enqueue(scheduler, process, priority);
    } else {
        process->priority = priority;
    }
}

static void terminate(struct scheduler *scheduler, struct process *process)
{
    if (process->state == READY) {
        queue_remove(&scheduler->queues[process->priority], process);
    }
    process->state = DONE;
    printf("%d: %s is killed\n", scheduler->now, process->name);
}

static void age(struct scheduler *scheduler)
{
    int priority;

    for (priority = 1; priority < PRIORITIES; priority++) {
        struct queue *queue = &scheduler->queues[priority];
        struct process *process = queue->head;

        while (process != NULL) {
            struct process *next = process->next;

            if (process->waited >= LONG_WAIT) {
                queue_remove(queue, process);
                enqueue(scheduler, process, priority - 1);
                process->waited = 0;
            }
            process = next;
        }
    }
}

static void list(const struct scheduler *scheduler)
{
    int priority;
    const struct process *process;

    for (priority = 0; priority < PRIORITIES; priority++) {
        printf("%d (%d):", priority, scheduler->queues[priority].length);
        for (process = scheduler->queues[priority].head; process; process = process->next) {
            printf(" %s/%d", process->name, process->left);
        }
        printf("\n");
    }
}

static void command_with_name(struct scheduler *scheduler, const char *verb, const char *name,
                              int number)
{
    struct process *process = find(scheduler, name);

    if (process == NULL) {
        printf("%s: unknown process\n", name);
    } else if (strcmp(verb, "block") == 0) {
        block(scheduler, process);
    } else if (strcmp(verb, "wake") == 0) {
        wake(scheduler, process);
    } else if (strcmp(verb, "nice") == 0) {
        renice(scheduler, process, number);
    } else if (strcmp(verb, "kill") == 0) {
        terminate(scheduler, process);
    } else {
        printf("%s: unknown command\n", verb);
    }
}

static void command(struct scheduler *scheduler, char *line)
{
    const char *verb = strtok(line, " \n");
    const char *first = strtok(NULL, " \n");
    const char *second = strtok(NULL, " \n");
    const char *third = strtok(NULL, " \n");

    if (verb == NULL) {
        return;
    }
    if (strcmp(verb, "list") == 0) {
        list(scheduler);
    } else if (strcmp(verb, "age") == 0) {
        age(scheduler);
    } else if (first == NULL) {
        printf("%s: needs more words\n", verb);
    } else if (strcmp(verb, "run") == 0) {
        run(scheduler, atoi(first));
    } else if (strcmp(verb, "add") == 0) {
        if (third == NULL) {
            printf("add: needs more words\n");
        } else {
            add(scheduler, first, atoi(second), atoi(third));
        }
    } else {
        command_with_name(scheduler, verb, first, second ? atoi(second) : -1);
    }
}

int main(void)
{
    static struct scheduler scheduler;
    char line[128];

    while (fgets(line, sizeof line, stdin) != NULL) {
        command(&scheduler, line);
    }
    printf("%d ticks, %d idle, %d done", scheduler.now, scheduler.idle, scheduler.finished);
    if (scheduler.finished > 0) {
        printf(", %d on average", scheduler.turnaround / scheduler.finished);
    }
    printf("\n");
    return 0;
}
